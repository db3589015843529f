import { describe, expect, it } from "vitest";
import { addressMatcher, parseForwardedAddress, resolveClientAddress } from "@/lib/api/client-address";
import { parseEnv } from "@/lib/runtime/env";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const NEAR = parseEnv({ DATA_DIR: temporaryDirectory("signal-address-") }).trustProxyFrom;
const isTrustedPeer = addressMatcher(NEAR);

const resolve = (peer: string, forwardedFor: string | undefined, hops: number) =>
  resolveClientAddress({ peer, forwardedFor, hops, isTrustedPeer });
const addressOf = (...given: Parameters<typeof resolve>) => resolve(...given).address;

describe("resolveClientAddress", () => {
  it("without trusted proxies X-Forwarded-For is ignored, and reported as ignored", () => {
    expect(resolve("203.0.113.9", "198.51.100.1", 0)).toEqual({ address: "203.0.113.9", isIgnored: true });
    expect(resolve("127.0.0.1", "198.51.100.1", 0)).toEqual({ address: "127.0.0.1", isIgnored: true });
    expect(resolve("203.0.113.9", undefined, 0).isIgnored).toBe(false);
  });

  it("the client address is the X-Forwarded-For entry that the outermost trusted proxy wrote", () => {
    expect(resolve("10.0.0.1", "198.51.100.1", 1)).toEqual({ address: "198.51.100.1", isIgnored: false });
    expect(addressOf("10.0.0.1", "198.51.100.1, 10.0.0.2", 2)).toBe("198.51.100.1");
  });

  it("X-Forwarded-For entries left of those by trusted proxies are ignored", () => {
    expect(addressOf("10.0.0.1", "1.1.1.1, 198.51.100.1", 1)).toBe("198.51.100.1");
    expect(addressOf("10.0.0.1", "1.1.1.1,2.2.2.2,198.51.100.1,10.0.0.2", 2)).toBe("198.51.100.1");
  });

  it("a connection from outside the trusted networks gives the peer's address, whatever X-Forwarded-For says", () => {
    for (let i = 0; i < 300; i++)
      expect(resolve("203.0.113.9", `198.51.100.${i % 256}`, 1)).toEqual({
        address: "203.0.113.9",
        isIgnored: true,
      });
    for (const peer of ["127.0.0.1", "::1", "::ffff:10.1.2.3", "172.31.0.1", "192.168.0.7", "fd00::1"])
      expect(addressOf(peer, "198.51.100.1", 1), peer).toBe("198.51.100.1");
    for (const peer of ["172.32.0.1", "2001:db8::1", "::ffff:203.0.113.9", ""])
      expect(addressOf(peer, "198.51.100.1", 1), peer).not.toBe("198.51.100.1");
  });

  it("X-Forwarded-For entries with different ports, brackets and spellings give the same client address", () => {
    const ports = Array.from({ length: 50 }, (_, i) => `198.51.100.1:${1024 + i}`);
    const spellings = ["198.51.100.1", '"198.51.100.1:443"', " 198.51.100.1 ", "::ffff:198.51.100.1"];
    const hex = ["[::ffff:c633:6401]:80", "0:0:0:0:0:FFFF:198.51.100.1"];
    for (const entry of [...ports, ...spellings, ...hex])
      expect(addressOf("10.0.0.1", entry, 1), entry).toBe("198.51.100.1");
    for (const entry of ["2001:db8::1", "[2001:DB8::1]", '"[2001:db8:0:0::1]:4711"', "2001:db8::1%eth0"])
      expect(addressOf("10.0.0.1", entry, 1), entry).toBe("2001:db8::1");
  });

  it("an invalid or missing X-Forwarded-For entry gives the peer's address", () => {
    for (const entry of ["unknown", "_hidden", "", "1.2.3", "1.2.3.4.5", "x".repeat(500), "[::1", "a:80"])
      expect(addressOf("10.0.0.1", `1.1.1.1, ${entry}`, 1), entry).toBe("10.0.0.1");
    expect(addressOf("10.0.0.1", undefined, 1)).toBe("10.0.0.1");
    expect(addressOf("", undefined, 0)).toBe("unknown");
  });
});

describe("parseAddress", () => {
  it("parseAddress reads IPv4 and IPv6 addresses with or without a port, and returns null for anything else", () => {
    expect(parseForwardedAddress("1.2.3.4:555")).toBe("1.2.3.4");
    expect(parseForwardedAddress("[::1]:80")).toBe("::1");
    expect(parseForwardedAddress("::ffff:1.2.3.4")).toBe("1.2.3.4");
    expect(parseForwardedAddress("::1")).toBe("::1");
    for (const text of ["", "::1:x", "1.2.3.4:5:6", "localhost", "999.1.1.1"])
      expect(parseForwardedAddress(text), text).toBeNull();
  });
});

describe("TRUST_PROXY_FROM", () => {
  it("TRUST_PROXY_FROM accepts addresses and networks of both families, and refuses anything else", () => {
    const read = (text: string) =>
      parseEnv({ DATA_DIR: temporaryDirectory("signal-address-"), TRUST_PROXY_FROM: text }).trustProxyFrom;
    const isTrusted = addressMatcher(read("203.0.113.0/24, 2001:db8::/32,198.51.100.7"));
    expect(["203.0.113.9", "2001:db8::9", "198.51.100.7"].map(isTrusted)).toEqual([true, true, true]);
    expect(["10.0.0.1", "2001:db9::1", "198.51.100.8", "unknown"].map(isTrusted)).toEqual(
      Array(4).fill(false),
    );
    for (const text of ["10.0.0.0/33", "::/129", "private", "10.0.0.0/8/8", "10.0.0.0/-1", ","])
      expect(() => read(text), text).toThrow("TRUST_PROXY_FROM: must be IP addresses or networks");
  });
});
