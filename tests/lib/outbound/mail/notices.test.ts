import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/audit";
import { countNoticeRecipients } from "@/db/queries/notices";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { postIncident, postIncidentUpdate } from "@/lib/admin/posted-incidents";
import { queueStatusUpdateMails, sendNotice, sendTestMail } from "@/lib/outbound/mail/notices";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const notice = (plan: "pro" | null, noticeKey = "b2c9a8ff-0000-4000-8000-000000000001") => ({
  ...{ noticeKey, plan, title: "A title", text: "One.\n\nTwo." },
});

async function mails() {
  const sql = connectDirectly();
  const rows = await sql<
    { recipient: string; kind: string; props: object }[]
  >`select recipient, kind, props from mail_outbox where kind in ('notice', 'test') order by id`;
  await sql.end();
  return rows;
}

beforeAll(async () => {
  await makeKey({ email: "pro@example.com" });
  // The same person with a second subscription.
  await makeKey({ email: "Pro@Example.com" });
  await makeKey({ email: "basic@example.com", plan_tier: "basic" });
  await makeKey();
  await makeKey({ email: "over@example.com", expires_at: new Date(Date.now() + 60_000).toISOString() });
  const gone = await makeKey({ email: "gone@example.com" });
  await revokeKey(db(), gone.keyId, ADMIN);
  const sql = connectDirectly();
  await sql`update api_keys set expires_at = now() where expires_at is not null`;
  await sql.end();
});

describe("a notice", () => {
  it("a notice reaches each address with access once, and sending it again is refused", async () => {
    expect([await countNoticeRecipients(db(), null), await countNoticeRecipients(db(), "pro")]).toEqual([
      2, 1,
    ]);
    expect(await sendNotice(db(), notice(null), ADMIN)).toBe(2);
    await expect(sendNotice(db(), notice(null), ADMIN)).rejects.toMatchObject({ code: "conflict" });
    const sent = await mails();
    expect(sent.map(({ recipient }) => recipient.toLowerCase()).sort()).toEqual([
      "basic@example.com",
      "pro@example.com",
    ]);
    expect(sent[0]?.props).toEqual({ userName: "Tester", title: "A title", text: "One.\n\nTwo." });
    const [row] = await listAudit(db(), { action: "mail.notice" }, 1);
    expect(row?.details).toEqual({ plan: null, title: "A title", recipients: 2 });
  });

  it("a notice can be limited to one plan", async () => {
    const before = (await mails()).length;
    const key = "b2c9a8ff-0000-4000-8000-000000000002";
    expect(await sendNotice(db(), notice("pro", key), ADMIN)).toBe(1);
    expect((await mails()).slice(before).map(({ recipient }) => recipient)).toEqual(["Pro@Example.com"]);
  });
});

describe("a test mail", () => {
  it("a test mail is queued for the entered address, and refused for an invalid one", async () => {
    const before = (await mails()).length;
    await sendTestMail(db(), " me@example.com ", ADMIN);
    expect((await mails()).slice(before).map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ["test", "me@example.com"],
    ]);
    await expect(sendTestMail(db(), "me@example.com, you@example.com", ADMIN)).rejects.toMatchObject({
      code: "validation_failed",
    });
  });
});

describe("a post on the status page", () => {
  it("a post on the status page is mailed once per update to subscribers who want it and accept notices", async () => {
    await makeKey({ email: "wants@example.com" });
    await makeKey({ email: "declined@example.com" });
    const sql = connectDirectly();
    await sql`update subscriptions set preferences = '{"mailIncidents": true}' where email = 'wants@example.com'`;
    await sql`update subscriptions set preferences = '{"mailIncidents": true, "mailNotices": false}' where email = 'declined@example.com'`;
    await sql.end();
    const before = (await mails()).length;
    const incident = { title: "Late prices", severity: "degraded", message: "The feed is late." } as const;
    const postedId = await postIncident(db(), incident, ADMIN, 0);
    await postIncidentUpdate(db(), { postedId }, { stage: "resolved", message: "It is back." }, ADMIN);
    const sent = (await mails()).slice(before);
    expect(sent.map(({ recipient }) => recipient)).toEqual(["wants@example.com", "wants@example.com"]);
    expect(sent.map(({ props }) => props)).toMatchObject([
      {
        title: "Status: Late prices",
        text: expect.stringMatching(/^The feed is late\.\n\nThe status page .*\/status$/),
      },
      { title: "Status: an incident is resolved", text: expect.stringMatching(/^It is back\./) },
    ]);
    const note = { key: "pause/1", title: "Status: all signals paused", message: "Bad prices" };
    for (let n = 0; n < 2; n++) await db().transaction((tx) => queueStatusUpdateMails(tx, note));
    expect((await mails()).length - before).toBe(3);
  });
});
