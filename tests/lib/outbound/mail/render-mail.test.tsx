import { describe, expect, it } from "vitest";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { greetingName } from "@/lib/outbound/mail/greeting-name";
import {
  KINDS_WITH_SECRET,
  MAIL_KINDS,
  type MailKind,
  type MailPropsByKind,
} from "@/lib/outbound/mail/kinds";
import { type MailContext, mailLinks } from "@/lib/outbound/mail/links";
import { renderMail, renderSample } from "@/lib/outbound/mail/render-mail";

const SECRET = "7d3f2a10-1111-4222-8333-444455556666";
const BASE_URL = "https://signals.example.test";
const SITE: MailContext = {
  baseUrl: BASE_URL,
  brand: {
    name: "Plain Signals",
    logoPath: null,
    accent: null,
    mailFrom: "Plain Signals <no-reply@signals.example.test>",
    supportAddress: null,
    shopUrl: null,
  },
  hasTelegramBot: true,
};

const PROPS: MailPropsByKind = {
  "key-created": { userName: "Ada", planTier: "pro", expiresAt: "2026-12-25T10:00:00Z" },
  "key-rotated": { userName: "Ada", rotatedAt: "2026-11-21T09:30:00Z" },
  "access-revoked": {
    userName: "Ada",
    event: "payment.invoice_refunded",
    revokedAt: "2026-11-21T09:30:00Z",
    keysRevoked: 1,
  },
  "access-suspended": { userName: "Ada", suspendedAt: "2026-11-21T09:30:00Z" },
  "access-reinstated": { userName: "Ada", expiresAt: "2026-12-25T10:00:00Z" },
  renewed: {
    userName: "Ada",
    planTier: "pro",
    amount: "49.9",
    currency: "EUR",
    paidAt: "2026-11-21T09:30:00Z",
    expiresAt: "2026-12-25T10:00:00Z",
    revived: false,
  },
  "payment-moved": { userName: "Ada", reason: "renewal_link" },
  "payment-failed": { userName: "Ada", planTier: "basic", expiresAt: "2026-11-24T09:30:00Z" },
  "sign-in": { expiresMinutes: 10 },
  "try-out": { expiresHours: 24 },
  "expiry-reminder": { userName: "Ada", planTier: "basic", expiresAt: "2026-11-24T09:30:00Z", daysLeft: 3 },
  "plan-ending": {
    userName: "Ada",
    planTier: "pro",
    nextPlan: "basic",
    changesAt: "2026-11-24T09:30:00Z",
    expiresAt: null,
  },
  "downtime-credited": {
    userName: "Ada",
    month: "2026-11-01",
    minutes: 205,
    stretches: [
      { from: "2026-11-12T10:00:00Z", to: "2026-11-12T13:25:00Z", what: "the service did not run" },
    ],
    expiresAt: "2026-12-25T13:25:00Z",
  },
  "ea-offline": { userName: "Ada", lastSeenAt: "2026-11-20T14:05:00Z", silentMinutes: 34 },
  "admin-invitation": { name: "Ada", role: "support", expiresHours: 72 },
  "admin-sign-in": { expiresMinutes: 10 },
  "account-deletion": { userName: "Ada", expiresMinutes: 60 },
  "address-change": { userName: "Ada", isNew: false, expiresMinutes: 60 },
  "address-changed": { userName: "Ada", isNew: true },
  "owner-alert": {
    name: "Ada",
    items: [{ title: "The service is degraded", text: "No new signal.", path: "/admin/signals" }],
  },
  "admin-secret-used": { at: "2026-11-22T09:30:00Z", address: "198.51.100.7" },
  "recovery-code-used": { name: "Ada", at: "2026-11-22T09:30:00Z", codesLeft: 9 },
  test: {},
  "second-factor-locked": { name: "Ada", wrongCodes: 10, until: "2026-11-22T09:30:00Z" },
  "webhook-paused": {
    userName: "Ada",
    host: "hooks.example.com",
    code: "status_500",
    attempts: 10,
    pausedAt: "2026-11-22T09:30:00Z",
  },
  "channel-paused": { userName: "Ada", channel: "Discord", pausedAt: "2026-11-22T09:30:00Z" },
  "model-changed": { userName: "Ada", slots: [{ slot: "EURUSD H1", modelV: "blend-1" }], nSlots: 1 },
  notice: { userName: "Ada", title: "A new symbol", text: "From Monday on.\n\nNothing is to be changed." },
};

const write = (kind: MailKind, changes: object = {}, site: Partial<MailContext> = {}) =>
  renderMail({
    kind,
    props: { ...PROPS[kind], ...changes },
    secret: KINDS_WITH_SECRET.has(kind) ? SECRET : null,
    site: { ...SITE, ...site },
  });

const occurrences = (text: string, part: string) => text.split(part).length - 1;
const preheaderOf = (html: string) =>
  /data-skip-in-text="true"[^>]*>([^<]*)</.exec(html)?.[1] ?? "no preheader found";

describe.each(MAIL_KINDS)("the %s mail", (kind) => {
  it("every mail has a subject, an HTML and a plain part without placeholders", async () => {
    for (const mail of [await write(kind), await renderSample(kind)]) {
      expect(mail.subject.length).toBeGreaterThan(5);
      for (const part of [mail.subject, mail.html, mail.text]) {
        expect(part).not.toMatch(/undefined|\[object|NaN|Invalid Date/);
      }
      expect(mail.text).not.toMatch(/<[a-z]/i);
      expect(mail.html).toContain('name="color-scheme"');
      expect(mail.html).toContain("prefers-color-scheme:dark");
    }
  });

  it("a mail has the same bytes for the same content", async () => {
    expect(await write(kind)).toEqual(await write(kind));
  });

  it("a mail links only to the configured base URL", async () => {
    const { html, text } = await write(kind);
    const addresses = [...`${html} ${text}`.matchAll(/(?:href="|src="|\s)(https?:\/\/[^\s"<)]+)/g)].map(
      (match) => match[1] ?? "",
    );
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) {
      if (address.startsWith("http://www.w3.org/")) continue;
      expect(address.startsWith(BASE_URL)).toBe(true);
    }
    expect(html).not.toMatch(/<script|<link\b/i);
    // One image, identical for all, so that opening a mail cannot be tracked.
    expect([...html.matchAll(/<img[^>]* src="([^"]+)"/g)].map((match) => match[1])).toEqual([
      `${BASE_URL}/apple-icon.png`,
    ]);
  });

  it("a mail has its secret neither in subject nor preheader, and once in the plain part", async () => {
    const { subject, html, text } = await write(kind);
    expect(subject).not.toContain(SECRET);
    const preheader = preheaderOf(html);
    expect(preheader).not.toContain(SECRET);
    expect(preheader.length).toBeGreaterThan(10);
    expect(preheader.length).toBeLessThanOrEqual(90);
    expect(occurrences(text, SECRET)).toBe(KINDS_WITH_SECRET.has(kind) ? 1 : 0);
  });

  it("a hostile name does not change the markup of a mail", async () => {
    if (kind === "sign-in") return;
    for (const userName of [
      '<script>alert(1)</script><a href="https://evil.test">x</a>',
      "Win at https://evil.test now",
      "evil.test",
      "Ada\r\nBcc: victim@example.com",
      "\u202Eevil",
      "x".repeat(5_000),
    ]) {
      const { subject, html, text } = await write(kind, { userName });
      expect(subject).not.toContain("evil");
      expect(html).not.toMatch(/<script|evil\.test|victim@/);
      expect(text).not.toMatch(/evil\.test|victim@|\u202E|x{100}/);
    }
  });
});

it("rendering a key mail without its key fails", async () => {
  const content = {
    kind: "key-created",
    props: PROPS["key-created"],
    secret: null,
    site: SITE,
  } as const;
  await expect(renderMail(content)).rejects.toMatchObject({ code: "MAIL_SECRET_WIPED" });
});

it("a test mail says why it was sent, and has no link to mail preferences", async () => {
  const { text } = await write("test");
  expect(text).toContain("sent a test to your address");
  expect(text).not.toContain("/portal");
});

it("a key mail has its key in one code element", async () => {
  const { html } = await write("key-created");
  expect(html).toMatch(new RegExp(`<code[^>]*>${SECRET}</code>`));
});

it("the link of a sign-in mail contains its token and leads to /login/confirm", async () => {
  const { text } = await renderMail({
    kind: "sign-in",
    props: { expiresMinutes: 1 },
    secret: "a+b/c=",
    site: SITE,
  });
  expect(text).toContain(`${BASE_URL}/login/confirm?token=a%2Bb%2Fc%3D`);
  expect(text).toContain("1 minute.");
});

it("the link of a sign-in mail contains the requested page", async () => {
  const { text } = await renderMail({
    kind: "sign-in",
    props: { expiresMinutes: 10, next: "/portal/executions?symbol=EURUSD" },
    secret: "token",
    site: SITE,
  });
  const link = new URL(/https?:\S+confirm\S+/.exec(text)?.[0] ?? "");
  expect(link.searchParams.get("next")).toBe("/portal/executions?symbol=EURUSD");
});

it("a mail's links into the portal lead through the sign-in to their page", () => {
  const links = mailLinks(SITE);
  for (const [link, page] of [
    [links.setup, "/portal/setup"],
    [links.preferences, "/portal/settings"],
  ] as const) {
    const url = new URL(link);
    expect(url.pathname).toBe("/login");
    expect(safeReturnPath(url.searchParams.get("next") ?? "", "/portal")).toBe(page);
  }
});

it("the expiry reminder links to the shop, or to the portal without one", async () => {
  const reminder = (shopUrl: string | null) =>
    renderMail({
      kind: "expiry-reminder",
      props: PROPS["expiry-reminder"],
      secret: null,
      site: { ...SITE, brand: { ...SITE.brand, shopUrl } },
    });
  expect((await reminder("https://shop.example/plans?from=mail")).text).toContain(
    "Renew https://shop.example/plans?from=mail",
  );
  expect((await reminder(null)).text).toContain(`Open the portal ${BASE_URL}/portal`);
});

it("the mail with a key says where the EA is and links to the setup", async () => {
  const { text } = await write("key-created");
  expect(text).toContain("Download the EA from the page Setup");
  expect(text).toContain("Set up your EA in four steps");
});

it("the mail about revoked access says that the time of other payments ended too, only if there are any", async () => {
  const sentence = "If your other payments had time left, that access has ended too.";
  expect((await write("access-revoked")).text).not.toContain(sentence);
  expect((await write("access-revoked", { hasOtherPayments: true })).text).toContain(sentence);
});

it.each([
  "key-created",
  "renewed",
  "access-reinstated",
  "payment-failed",
  "expiry-reminder",
  "plan-ending",
  "downtime-credited",
] as const)("the %s mail says until when access is paid, apart from the days of grace", async (kind) => {
  const expiresAt = "2026-12-25T10:00:00Z";
  const { text } = await write(kind, { expiresAt, paidUntil: "2026-12-22T10:00:00Z" });
  expect(text).toContain(
    "Paid until: 22 December 2026 at 10:00 UTC\nAccess works until: 25 December 2026 at 10:00 UTC, with days of grace",
  );
  expect((await write(kind, { expiresAt })).text).toContain("Access until: 25 December 2026 at 10:00 UTC");
});

it.each([
  ["key-created", "the time that it paid for ended on 25 December 2026 at 10:00 UTC"],
  ["renewed", "Your access, with the time that it paid for, ended on 25 December 2026 at 10:00 UTC"],
] as const)("a late %s mail names the end and the contact, and claims no open access", async (kind, end) => {
  const brand = { ...SITE.brand, mailFrom: "Plain Signals <hello@signals.example.test>" };
  const late = await write(kind, { isLate: true, revived: true }, { brand });
  expect(late.subject).toBe("Your payment arrived late");
  const text = late.text.replace(/\s+/g, " ");
  expect(text).toContain(end);
  expect(text).toContain("Write to hello@signals.example.test");
  for (const part of [text, preheaderOf(late.html)])
    expect(part).not.toMatch(/access is open|works again|Access (?:works )?until|Algo Trading/);
  expect((await write(kind, { isLate: true })).text).toContain("Contact the seller and ask");
});

it("the key mail of a chat plan asks to link Telegram only if the operator has a bot", async () => {
  const chat = { planTier: "telegram" };
  const withBot = await write("key-created", chat);
  expect(withBot.text).toContain("choose Link Telegram");
  const without = await write("key-created", chat, { hasTelegramBot: false });
  expect(without.text).toContain("has not set up a Telegram bot yet");
  expect(without.text).toContain("Open Delivery");
  expect(without.text).not.toContain("Link Telegram");
  expect(preheaderOf(without.html)).not.toContain("Telegram");
});

it.each(["access-revoked", "access-suspended", "key-rotated"] as const)(
  "the %s mail names the trading client or the chats by which signals arrive",
  async (kind) => {
    const chat = await write(kind, { delivery: { hasEa: false, hasChats: true } });
    expect(chat.text).toContain("Telegram or Discord");
    for (const part of [chat.text, preheaderOf(chat.html)])
      expect(part).not.toMatch(/trading client|\bEA\b|broker|MetaTrader|InpApiKey/);
    const withoutBot = { hasTelegramBot: false };
    expect(
      (await write(kind, { delivery: { hasEa: false, hasChats: true } }, withoutBot)).text,
    ).not.toContain("Telegram");
    const ea = await write(kind, { delivery: { hasEa: true, hasChats: true } });
    expect(ea.text.toLowerCase()).toContain("trading client");
  },
);

it("the mail about a renewal leads to the EA or the chat if the plan's signals now arrive there", async () => {
  const same = (await write("renewed")).text;
  expect(same).toContain("You do not need to change anything.");
  const ea = (await write("renewed", { newWay: "ea" })).text;
  expect(ea).toContain("Connect your EA");
  expect(ea).not.toContain("You do not need to change anything");
  expect((await write("renewed", { newWay: "chats" })).text).toContain("choose Link Telegram");
});

it("the reminders fit the plan: reports of an EA, and the way to the signals of the next plan", async () => {
  expect((await write("expiry-reminder", { hasEa: false })).text).not.toMatch(/client|positions/);
  expect((await write("expiry-reminder", { hasEa: true })).text).toContain("report closed positions");
  expect((await write("plan-ending", { nextPlan: "telegram" })).text.replace(/\s+/g, " ")).toContain(
    "The plan Telegram sends its signals to Telegram or Discord.",
  );
  expect((await write("plan-ending")).text).not.toMatch(/trading client|Discord/);
});

it("the mails about a renewal, a key and a failed payment say which plan is in force until when", async () => {
  const stretches = [
    { plans: ["pro"], until: "2026-12-25T10:00:00.000Z" },
    { plans: ["basic", "telegram"], until: "2027-01-28T10:00:00.000Z" },
  ];
  const { text } = await write("renewed", {
    bought: { planTier: "basic", days: 31 },
    stretches,
    expiresAt: "2027-01-28T10:00:00Z",
    paidUntil: "2027-01-25T10:00:00Z",
  });
  expect(text).toContain(
    [
      "Bought: Basic, 31 days",
      "Pro until: 25 December 2026 at 10:00 UTC",
      "Then Basic and Telegram until: 25 January 2027 at 10:00 UTC",
      "Access works until: 28 January 2027 at 10:00 UTC, with days of grace",
    ].join("\n"),
  );
  expect(text).not.toContain("Plan:");
  for (const kind of ["key-created", "payment-failed"] as const)
    expect((await write(kind, { stretches })).text).toContain(
      "Pro until: 25 December 2026 at 10:00 UTC\nThen Basic and Telegram until: 28 January 2027 at 10:00 UTC",
    );
});

it("the mails about reinstated access and a new key name the cause", async () => {
  expect((await write("access-reinstated")).text).toContain("no longer suspended");
  const won = (await write("access-reinstated", { after: "chargeback" })).text;
  expect(won).toContain("The dispute about your payment is over");
  for (const word of ["suspended", "operator"]) expect(won).not.toContain(word);
  expect((await write("key-rotated")).text).toContain("rotate the key again");
  const replaced = await write("key-rotated", { byOperator: true });
  expect(replaced.subject).toBe("The operator rotated your API key");
  expect(replaced.text).toContain("The operator of this service rotated your key");
  expect(replaced.text).not.toMatch(/rotate the key again|sign out/);
});

it("mails write times in UTC, and their nouns agree with the counts", async () => {
  expect((await write("key-created")).text).toContain("Access until: 25 December 2026 at 10:00 UTC");
  expect((await write("key-created", { expiresAt: null })).text).toContain("Access until: no end date");
  expect((await write("expiry-reminder", { daysLeft: 1 })).subject).toBe("Your access ends in 1 day");
  expect((await write("expiry-reminder", { daysLeft: 7 })).subject).toBe("Your access ends in 7 days");
});

describe("greetingName", () => {
  it.each(["Ada Lovelace", "José Ñandú", "李小龍", "O'Neill-Smith, Jr.", "Anna  Maria"])(
    "the name %j is used in the greeting",
    (name) => {
      expect(greetingName(name)).toBe(name.replace(/\s+/g, " "));
    },
  );
  it.each([
    "",
    "   ",
    "Subscriber",
    "Visitor",
    "a@b.c",
    "www evil",
    "evil.com",
    "click: here",
    "a/b",
    "<b>",
    "x".repeat(61),
  ])("the name %j is not used in the greeting", (name) => {
    expect(greetingName(name)).toBeNull();
  });
});
