import { beforeAll, describe, expect, it } from "vitest";
import { GET, POST } from "@/app/login/mails/decline/route";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/audit";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import { sendNotice, sendTestMail } from "@/lib/outbound/mail/notices";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import type { MailTransport, OutgoingMail } from "@/lib/outbound/mail/transport";
import { mimeMessage } from "@/lib/outbound/mail/transports/mime-message";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ BASE_URL: "https://signals.example" });

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const sent: OutgoingMail[] = [];
const transport: MailTransport = {
  name: "outbox",
  maxPerSecond: 1_000,
  send: async (mail) => {
    sent.push(mail);
    return { result: "sent" };
  },
};
async function deliver(): Promise<OutgoingMail[]> {
  await deliverDueMail(db(), new AbortController().signal, transport);
  return sent.splice(0);
}
const notice = (n: number) => ({
  noticeKey: `b2c9a8ff-0000-4000-8000-00000000000${n}`,
  plan: null,
  title: "News",
  text: "Text.",
});
/** The request of a mail program, without cookie and origin. */
const oneClick = (url: string) =>
  POST(new Request(url, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }));

async function preferencesOf(email: string): Promise<Record<string, unknown>> {
  const sql = connectDirectly();
  const [row] = await sql`select preferences from subscriptions where email = ${email} order by id desc`;
  await sql.end();
  return row?.preferences;
}

beforeAll(async () => {
  await makeKey({ email: "ada@example.com" });
  await makeKey({ email: "bob@example.com" });
  await deliver();
});

describe("an optional mail", () => {
  it("an optional mail is unsubscribed with one request of the mail program, which stops the next notice", async () => {
    expect(await sendNotice(db(), notice(1), ADMIN)).toBe(2);
    const mails = await deliver();
    const mail = mails.find(({ to }) => to === "ada@example.com");
    const { headers } = mimeMessage(mail!);
    expect(headers).toMatchObject({
      "List-Unsubscribe": `<${mail!.unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    expect(mail!.unsubscribeUrl).toMatch(/^https:\/\/signals\.example\/login\/mails\/decline\?token=/);
    expect(mail!.text).toContain("https://signals.example/login/mails?token=");

    expect((await oneClick(mail!.unsubscribeUrl!)).status).toBe(200);
    expect(await preferencesOf("ada@example.com")).toEqual({ mailNotices: false });
    expect(await preferencesOf("bob@example.com")).toEqual({});
    const [audited] = await listAudit(db(), { action: "preferences.decline_mails" }, 1);
    expect(audited?.details).toEqual({ changed: ["mailNotices"] });
    // A second subscription of the same address does not circumvent it.
    await makeKey({ email: "ada@example.com" });
    expect(await sendNotice(db(), notice(2), ADMIN)).toBe(1);
    const news = (await deliver()).filter(({ kind }) => kind === "notice");
    expect(news.map(({ to }) => to)).toEqual(["bob@example.com"]);
  });

  it("an optional mail is not unsubscribed by opening the link, or with another token", async () => {
    await sendNotice(db(), notice(3), ADMIN);
    const [mail] = await deliver();
    const url = mail!.unsubscribeUrl!;
    const opened = await GET(new Request(url));
    expect([opened.status, opened.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/login\/mails\?token=/),
    ]);
    for (const wrong of [url.replace("notice", "ea-offline"), url.slice(0, -1), url.split("?")[0]!])
      expect((await oneClick(wrong)).status).toBe(404);
    expect(await preferencesOf("bob@example.com")).toEqual({});
  });
});

describe("a mandatory mail", () => {
  it("a mandatory mail, such as one about a moved payment, has no unsubscribe link", async () => {
    await sendTestMail(db(), "me@example.com", ADMIN);
    const sql = connectDirectly();
    const [row] = await sql`select id from subscriptions where email = 'bob@example.com'`;
    await sql.end();
    await queueMail(db(), {
      kind: "access-suspended",
      dedupeKey: "declining/1",
      subscriptionId: row!.id,
      recipient: "bob@example.com",
      props: { userName: "Bob", suspendedAt: "2026-11-01T00:00:00Z" },
    });
    await queueMail(db(), {
      kind: "payment-moved",
      dedupeKey: "payment-moved/1",
      subscriptionId: row!.id,
      recipient: "bob@example.com",
      props: { userName: "Bob", reason: "two_addresses" },
    });
    const mails = await deliver();
    expect(mails.map(({ unsubscribeUrl }) => unsubscribeUrl)).toEqual([null, null, null]);
    for (const mail of mails) {
      expect(mimeMessage(mail).headers).not.toHaveProperty("List-Unsubscribe");
      expect(mail.text).not.toContain("/login/mails");
    }
  });
});
