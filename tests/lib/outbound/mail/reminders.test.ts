import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { changeKeyEnd } from "@/lib/access/keys/change-key-end";
import { listPaidUntil } from "@/lib/access/keys/paid-time-of-keys";
import { queueEaOfflineMails, serviceUpSince } from "@/lib/outbound/mail/ea-offline";
import { dueReminderDays, queueExpiryReminders } from "@/lib/outbound/mail/expiry-reminders";
import { changeSetting } from "@/lib/settings/change-setting";
import { SETTINGS_BY_NAME } from "@/lib/settings/registry";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { freshEmail } from "@/tests/support/payments";
import { type SentStatement, statementsOf } from "@/tests/support/sent-statements";

useDatabase();

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const inDays = (days: number, from = Date.now()) => new Date(from + days * DAY_MS);

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());
beforeEach(async () => {
  await sql`truncate mail_outbox, api_keys, key_heartbeats, health_probes, alert_episodes cascade`;
});

const queued = () =>
  sql`select kind, recipient, props from mail_outbox where kind <> 'key-created' order by id`;
const prefer = (email: string, preferences: Record<string, boolean>) =>
  sql`update subscriptions set preferences = ${sql.json(preferences)} where email = ${email}`;

describe("expiry reminders", () => {
  it("expiry reminders are due 7, 3 and 1 days before the end, and not afterwards", () => {
    const expiresAt = new Date("2026-12-31T12:00:00Z");
    const key = { expiresAt, expirySetAt: new Date("2026-11-01T00:00:00Z") };
    const at = (days: number) =>
      dueReminderDays(key, new Date(expiresAt.getTime() - days * DAY_MS), [7, 3, 1]);
    expect([8, 7.001, 7, 3.001, 3, 1.001, 1, 0.001, 0, -1].map(at)).toEqual([
      null,
      null,
      7,
      7,
      3,
      3,
      1,
      1,
      null,
      null,
    ]);
  });

  it("a key of two days gets one expiry reminder, on its last day", () => {
    const expiresAt = new Date("2026-12-31T12:00:00Z");
    const key = { expiresAt, expirySetAt: new Date("2026-12-29T12:00:00Z") };
    expect(dueReminderDays(key, new Date("2026-12-29T13:00:00Z"), [7, 3, 1])).toBeNull();
    expect(dueReminderDays(key, new Date("2026-12-30T13:00:00Z"), [7, 3, 1])).toBe(1);
  });

  it("expiry reminders are sent on the configured days", async () => {
    const email = freshEmail();
    await makeKey({ email, plan_tier: "basic", expires_at: inDays(30).toISOString() });
    const typed = (text: string) => SETTINGS_BY_NAME.end_notice.controls.days?.safeParse(text);
    expect(typed("2, 14 2")?.data).toEqual([14, 2]);
    for (const wrong of ["", "0", "61", "soon", "1,2,3,4,5,6,7", "-3"])
      expect(typed(wrong)?.success, wrong).toBe(false);
    const after = { days: [14, 2] };
    const shown = await changeSetting(db(), "end_notice", after, {}, { kind: "command" });
    expect(shown).toMatchObject({
      outcome: "previewed",
      preview: {
        lines: [
          "Subscribers are mailed 14, 2 days before the end of their access, instead of 7, 3, 1.",
          "0 subscribers are now within 14 days of the end. Each gets one mail on each of these days that is still ahead.",
        ],
      },
    });
    const mark = shown.outcome === "previewed" ? shown.mark : "";
    await changeSetting(db(), "end_notice", after, { mark }, { kind: "command" });
    try {
      for (const day of [14, 16.5, 17, 23.5, 28.5, 29.5])
        await queueExpiryReminders(db(), inDays(day), listPaidUntil);
      expect((await queued()).map((mail) => mail.props.daysLeft)).toEqual([14, 2]);
      const [audit] = await sql`select details from admin_audit where target = 'setting/end_notice'`;
      expect(audit!.details).toEqual({ before: { days: [7, 3, 1] }, after: { days: [14, 2] } });
    } finally {
      await sql`delete from settings where name = 'end_notice'`;
    }
  });

  it("expiry reminders are sent once per step, and again for a new end", async () => {
    const email = freshEmail();
    const { keyId } = await makeKey({ email, plan_tier: "basic", expires_at: inDays(30).toISOString() });
    const day = (n: number) => inDays(n);
    expect(await queueExpiryReminders(db(), day(22), listPaidUntil)).toBe(0);
    expect(await queueExpiryReminders(db(), day(23.5), listPaidUntil)).toBe(1);
    expect(await queueExpiryReminders(db(), day(24), listPaidUntil)).toBe(0);
    expect(await queueExpiryReminders(db(), day(27.5), listPaidUntil)).toBe(1);
    expect(await queueExpiryReminders(db(), day(29.5), listPaidUntil)).toBe(1);
    expect(await queueExpiryReminders(db(), day(30.5), listPaidUntil)).toBe(0);
    expect(
      (await queued()).map((mail) => [mail.recipient, mail.props.daysLeft, mail.props.planTier]),
    ).toEqual([
      [email, 7, "basic"],
      [email, 3, "basic"],
      [email, 1, "basic"],
    ]);
    await sql`update api_keys set expires_at = expires_at + interval '31 days' where id = ${keyId}`;
    expect(await queueExpiryReminders(db(), day(54.5), listPaidUntil)).toBe(1);
  });

  it("expiry reminders that were due before the last extension are left out", async () => {
    const email = freshEmail();
    const { keyId } = await makeKey({ email, expires_at: inDays(2).toISOString() });
    await sql`update api_keys set created_at = now() - interval '29 days' where id = ${keyId}`;
    await sql`update paid_time set created_at = now() - interval '29 days' where key_id = ${keyId}`;
    expect(await queueExpiryReminders(db(), new Date(), listPaidUntil)).toBe(1);
    await changeKeyEnd(db(), keyId, inDays(5), { kind: "command" }, new Date());
    for (const day of [0, 1, 2.5, 3, 4.5]) await queueExpiryReminders(db(), inDays(day), listPaidUntil);
    expect((await queued()).map(({ props }) => props.daysLeft)).toEqual([2, 3, 1]);
  });

  it("expiry reminders are queued once by five runs at the same time", async () => {
    await makeKey({ email: freshEmail(), expires_at: inDays(20).toISOString() });
    const results = await Promise.all(
      Array.from({ length: 5 }, () => queueExpiryReminders(db(), inDays(14), listPaidUntil)),
    );
    expect(results.reduce((sum, n) => sum + n, 0)).toBe(1);
  });

  it("expiry reminders are not sent to a subscriber who declined them or has no address, for a revoked key, or beside a key that lasts longer", async () => {
    const declined = freshEmail();
    await makeKey({ email: declined, expires_at: inDays(10).toISOString() });
    await prefer(declined, { mailReminders: false });
    await makeKey({ expires_at: inDays(10).toISOString() });
    const revoked = await makeKey({ email: freshEmail(), expires_at: inDays(10).toISOString() });
    await sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`;
    const longer = await makeKey({ email: freshEmail(), expires_at: inDays(10).toISOString() });
    await sql`
      insert into api_keys (subscription_id, key_hash, hint, plan_tier, expires_at)
      select subscription_id, 'other', 'h', 'pro', now() + interval '90 days' from api_keys where id = ${longer.keyId}`;
    expect(await queueExpiryReminders(db(), inDays(5), listPaidUntil)).toBe(0);
  });
});

describe("mails about a silent trading client", () => {
  /** A Wednesday in the middle of the trading week. */
  const now = new Date("2026-11-18T12:00:00Z");
  const seen = async (email: string, lastSeenAt: Date) => {
    const { keyId } = await makeKey({ email });
    await sql`
      insert into key_heartbeats (key_id, subscription_id, last_seen_at)
      select id, subscription_id, ${lastSeenAt} from api_keys where id = ${keyId}`;
    return keyId;
  };
  const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);

  it("a silent client is reported after more than 30 minutes of open market, once per silence", async () => {
    const email = freshEmail();
    const keyId = await seen(email, ago(30));
    expect(await queueEaOfflineMails(db(), now)).toBe(0);
    expect(await queueEaOfflineMails(db(), new Date(now.getTime() + 2 * MINUTE_MS))).toBe(1);
    expect(await queueEaOfflineMails(db(), new Date(now.getTime() + 60 * MINUTE_MS))).toBe(0);
    expect(await queued()).toMatchObject([
      { recipient: email, props: { silentMinutes: 32, lastSeenAt: "2026-11-18T11:30:00Z" } },
    ]);
    await sql`update key_heartbeats set last_seen_at = ${new Date(now.getTime() + 90 * MINUTE_MS)} where key_id = ${keyId}`;
    expect(await queueEaOfflineMails(db(), new Date(now.getTime() + 130 * MINUTE_MS))).toBe(1);
  });

  it("mails about twelve silent clients are queued by one insert, and the next check inserts none", async () => {
    for (let n = 0; n < 12; n++) await seen(freshEmail(), ago(40 + 10 * n));
    const queue = (at: Date, n: number) =>
      statementsOf(async () => expect(await queueEaOfflineMails(db(), at)).toBe(n));
    const isInsert = ({ text }: SentStatement) => text.startsWith("insert");
    expect((await queue(now, 12)).filter(isInsert)).toHaveLength(1);
    const again = await queue(new Date(now.getTime() + MINUTE_MS), 0);
    expect(again.filter(isInsert)).toEqual([]);
    expect(again).toHaveLength(4);
    expect(new Set((await queued()).map(({ recipient }) => recipient)).size).toBe(12);
  });

  it("a trading client's silence counts minutes of open market only", async () => {
    const fridayEvening = new Date("2026-11-20T21:50:00Z");
    await seen(freshEmail(), fridayEvening);
    expect(await queueEaOfflineMails(db(), new Date("2026-11-21T12:00:00Z"))).toBe(0);
    expect(await queueEaOfflineMails(db(), new Date("2026-11-22T22:15:00Z"))).toBe(0);
    expect(await queueEaOfflineMails(db(), new Date("2026-11-22T22:25:00Z"))).toBe(1);
  });

  it("no mail about silence is sent for a client unseen for a week, a declined mail or an ended key", async () => {
    await seen(freshEmail(), ago(8 * 24 * 60));
    const declined = freshEmail();
    await seen(declined, ago(45));
    await prefer(declined, { mailEaOffline: false });
    const ended = await seen(freshEmail(), ago(45));
    await sql`update api_keys set revoked_at = now() where id = ${ended}`;
    expect(await queueEaOfflineMails(db(), now)).toBe(0);
  });

  it("no mail is sent while most clients stopped together, and silence counts from the end of the operator's alert", async () => {
    const keys: number[] = [];
    for (let n = 0; n < 5; n++) keys.push(await seen(freshEmail(), ago(40 + n)));
    await seen(freshEmail(), ago(300));
    expect(await queueEaOfflineMails(db(), now)).toBe(1);
    await sql`insert into alert_episodes (topic, title, text, path, opened_at) values ('silent_clients', 't', 't', '/', ${ago(5)})`;
    const calledAgain = new Date(now.getTime() + 10 * MINUTE_MS);
    await sql`update key_heartbeats set last_seen_at = ${calledAgain} where key_id = any(${keys.slice(0, 4)})`;
    await sql`update alert_episodes set closed_at = ${calledAgain}`;
    expect(await queueEaOfflineMails(db(), calledAgain)).toBe(0);
    await sql`update key_heartbeats set last_seen_at = ${new Date(now.getTime() + 40 * MINUTE_MS)} where key_id = any(${keys.slice(0, 4)})`;
    expect(await queueEaOfflineMails(db(), new Date(now.getTime() + 41 * MINUTE_MS))).toBe(1);
    expect((await queued()).at(-1)?.props).toMatchObject({ silentMinutes: 31 });
    // An alert that has been firing for days stops no mail.
    await sql`update alert_episodes set closed_at = null, opened_at = ${ago(3 * 24 * 60)}`;
    await seen(freshEmail(), ago(45));
    expect(await queueEaOfflineMails(db(), now)).toBe(1);
  });

  it("downtime of the service does not count as a client's silence", async () => {
    await seen(freshEmail(), ago(120));
    for (let minute = 0; minute <= 10; minute++) {
      await sql`insert into health_probes (minute, status) values (${ago(minute)}, 'ok')`;
    }
    expect(await queueEaOfflineMails(db(), now)).toBe(0);
    for (let minute = 11; minute <= 40; minute++) {
      await sql`insert into health_probes (minute, status) values (${ago(minute)}, 'ok')`;
    }
    expect(await queueEaOfflineMails(db(), now)).toBe(1);
    const [mail] = await queued();
    expect(mail?.props).toMatchObject({ silentMinutes: 40 });
  });

  it("minutes in which probes found the service down do not count as a client's silence", async () => {
    await seen(freshEmail(), ago(60));
    for (let minute = 0; minute <= 60; minute++) {
      const status = minute >= 5 && minute <= 20 ? "down" : "ok";
      await sql`insert into health_probes (minute, status) values (${ago(minute)}, ${status})`;
    }
    expect(await queueEaOfflineMails(db(), now)).toBe(0);
  });

  it("serviceUpSince counts back to the last gap or the last probe that found it down, and is null without probes", () => {
    const probes = (minutes: number[], down = -1) =>
      minutes.map((minute) => ({
        minute: ago(minute),
        status: minute === down ? ("down" as const) : ("ok" as const),
      }));
    expect(serviceUpSince(probes([0, 1, 2, 3, 9, 10]), now)).toEqual(ago(3));
    expect(serviceUpSince(probes([0, 1, 2, 3], 2), now)).toEqual(ago(1));
    expect(serviceUpSince(probes([0, 1, 2], 0), now)).toEqual(now);
    expect(serviceUpSince(probes([30]), now)).toEqual(now);
    expect(serviceUpSince([], now)).toBeNull();
  });
});
