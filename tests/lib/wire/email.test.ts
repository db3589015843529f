import { describe, expect, it } from "vitest";
import { parseBuyer } from "@/lib/payments/delivery";
import { Email, normalizeEmail } from "@/lib/wire/email";

const accepts = (text: string) => Email.safeParse(text).success;

describe("the normalised form of an address", () => {
  it.each([
    ["Bob@Example.COM", "bob@example.com"],
    ["  bob@example.com\n", "bob@example.com"],
    ["bob@münchen.de", "bob@xn--mnchen-3ya.de"],
    ["bob@MÜNCHEN.de", "bob@xn--mnchen-3ya.de"],
    ["bob@xn--mnchen-3ya.de", "bob@xn--mnchen-3ya.de"],
    ["bo\u200bb@example.com", "bob@example.com"],
    ["bob@exam\u00adple.com", "bob@example.com"],
    ["\ufeffbob@example.com\u2060", "bob@example.com"],
    ["bob@example\u3002com", "bob@example.com"],
    ["Jos\u0065\u0301@example.com", "jos\u00e9@example.com"],
  ])("the address %j is normalised to %s", (text, identity) => {
    expect(normalizeEmail(text)).toBe(identity);
    expect(normalizeEmail(identity)).toBe(identity);
    expect(parseBuyer(text)?.emailNormalized).toBe(identity);
  });

  it("a partial address is normalised as far as possible", () => {
    expect(normalizeEmail("Bob")).toBe("bob");
    expect(normalizeEmail("bob@")).toBe("bob@");
    expect(normalizeEmail("bob@münchen")).toBe("bob@xn--mnchen-3ya");
  });

  it("the original spelling is kept for sending", () => {
    expect(parseBuyer(" Bob@M\u00fcnchen.de\u200b")?.email).toBe("Bob@M\u00fcnchen.de");
  });
});

describe("a valid address", () => {
  it.each([
    "bob&eve@example.com",
    "bob=x@example.com",
    "bob/x@example.com",
    "#bob@example.com",
    "bob..x@example.com",
    "bob+x@example.com",
    "b'ob@example.com",
    "böb@example.com",
    "bob@münchen.de",
    "bob@日本語.jp",
    "bob@a-b.co.uk",
    "bob@example.xn--p1ai",
  ])("the address %s is valid", (text) => expect(accepts(text)).toBe(true));

  it.each([
    "",
    "bob",
    "bob@",
    "@example.com",
    "bob@localhost",
    "bob@127.0.0.1",
    "bob@exa_mple.com",
    "bob@example..com",
    "bob@-example.com",
    "bob@example.com/x",
    "bob@example.com:25",
    "bob@exa%6dple.com",
    "bob @example.com",
    "a@b.com,c@d.com",
    "Bob <bob@example.com>",
    "bob\u0000@example.com",
    "bob@example.c",
    "\u200b@example.com",
    "ﬁ@example.com",
    `${"a".repeat(65)}@example.com`,
    `bob@${"a".repeat(64)}.com`,
    `bob@${`${"a".repeat(60)}.`.repeat(4)}example.com`,
  ])("the address %j is invalid", (text) => expect(accepts(text)).toBe(false));
});
