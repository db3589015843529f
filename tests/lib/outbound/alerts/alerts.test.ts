import { mkdirSync } from "node:fs";
import type postgres from "postgres";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { POST as alertForms } from "@/app/admin/(area)/alerts/act/route";
import { db } from "@/db/client";
import {
  addSignatureFailures,
  endSignatureFailureRun,
  readSignatureFailureRun,
  recordAlertEvent,
} from "@/db/queries/alerts";
import { insertIncident } from "@/db/queries/incidents";
import { authenticateAdminSession } from "@/lib/auth/admin-session";
import { consumeFlash } from "@/lib/auth/flash";
import { readAlertFacts } from "@/lib/health/read-alert-facts";
import { changeAlertSettings } from "@/lib/outbound/alerts/alert-preferences";
import { deliverAlertPosts } from "@/lib/outbound/alerts/deliver-posts";
import { dueNotifications } from "@/lib/outbound/alerts/due-notifications";
import { type AlertInputs, evaluateAlerts } from "@/lib/outbound/alerts/evaluate-alerts";
import { sendAlerts } from "@/lib/outbound/alerts/send-alerts";
import { env } from "@/lib/runtime/env";
import { sha256 } from "@/lib/runtime/secrets";
import { ALERT_TOPICS, type AlertTopic } from "@/lib/vocabulary";
import { postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { NEVER_ABORTED } from "@/tests/support/mail";
import { deliver, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { startWebhookReceiver } from "@/tests/support/receiver";

const { save, test: sendTest } = alertForms.forms;

// The simulated market allows requests to this machine.
useDatabase({
  MARKET_FEED: "demo",
  BASE_URL: "http://localhost:3000",
  PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET,
});

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
  mkdirSync(env().dataDir, { recursive: true });
});
afterAll(() => sql.end());
beforeEach(async () => {
  await sql`delete from alert_notifications`;
  await sql`delete from alert_episodes`;
  await sql`delete from alert_posts`;
  await sql`delete from alert_settings`;
  await sql`delete from mail_outbox where kind = 'owner-alert'`;
  await sql`update payment_deliveries set reviewed_at = now()`;
});

const ACTOR = { kind: "command" } as const;
const NOON = new Date("2026-11-18T12:00:00Z");
const minutesLater = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);

const WELL: AlertInputs = {
  now: NOON,
  incidents: [],
  refusals: null,
  dead: { mails: 0, webhooks: 0, telegram: 0, channels: 0 },
  backup: null,
  disk: { freeBytes: 50 * 1024 ** 3, totalBytes: 100 * 1024 ** 3 },
  clients: { total: 10, offline: 1 },
  lateModels: [],
  isMarketOpen: true,
};
const DOWN = { incidents: [{ component: "database", severity: "down", reasons: ["no answer"] }] } as const;

let nOwners = 0;
async function newOwner(wish: Partial<Parameters<typeof changeAlertSettings>[2]> = {}, role = "owner") {
  const email = `owner-${nOwners++}@people.example`;
  const [row] = await sql`
    insert into administrators (name, email, email_normalized, role, totp_secret_encrypted, accepted_at)
    values ('Ada', ${email}, ${email}, ${role}, 'none', now()) returning id`;
  const id: number = row!.id;
  const secret = await changeAlertSettings(
    db(),
    id,
    {
      topics: [...ALERT_TOPICS],
      way: "mail",
      telegramChatId: null,
      webhookUrl: null,
      newSecret: false,
      timeZone: "UTC",
      quietFrom: null,
      quietTo: null,
      ...wish,
    },
    ACTOR,
  );
  // As if chosen before the times in these tests.
  await sql`update alert_settings set updated_at = '2026-11-01' where administrator_id = ${id}`;
  return { id, email, secret };
}

const mailsTo = async (email: string): Promise<{ title: string; text: string; path: string }[][]> =>
  (
    await sql`select props from mail_outbox where kind = 'owner-alert' and recipient = ${email} order by id`
  ).map(({ props }) => props.items);
const titlesTo = async (email: string) =>
  (await mailsTo(email)).map((items) => items.map(({ title }) => title));
const tell = (facts: Partial<AlertInputs>) => sendAlerts(db(), { ...WELL, ...facts });

describe("alerts to owners", () => {
  it("alerts are grouped into one message, sent once, with a message at recovery", async () => {
    const { email } = await newOwner();
    const facts = { ...DOWN, dead: { mails: 2, webhooks: 1, telegram: 0, channels: 0 } };
    await tell(facts);
    await tell({ ...facts, now: minutesLater(5) });
    expect(await titlesTo(email)).toEqual([["The service is down", "3 messages could not be delivered"]]);
    const [items] = await mailsTo(email);
    expect(items![0]!.text).toContain("no answer");
    expect(items![0]!.path).toBe("/admin");
    await tell({ now: minutesLater(10) });
    await tell({ now: minutesLater(11) });
    expect((await titlesTo(email)).slice(1)).toEqual([["Over: The service is down"]]);
  });

  it("alerts are sent at most once an hour per kind, and daily while a problem lasts", async () => {
    const { email } = await newOwner();
    for (let minute = 0; minute < 50; minute += 10) {
      await tell({ dead: { mails: 1, webhooks: 0, telegram: 0, channels: 0 }, now: minutesLater(minute) });
      await tell({ now: minutesLater(minute + 5) });
    }
    expect(await titlesTo(email)).toHaveLength(1);
    await tell({ dead: { mails: 4, webhooks: 0, telegram: 0, channels: 0 }, now: minutesLater(61) });
    expect((await titlesTo(email)).length).toBe(2);
    await tell({
      dead: { mails: 4, webhooks: 0, telegram: 0, channels: 0 },
      now: minutesLater(61 + 23 * 60),
    });
    expect((await titlesTo(email)).length).toBe(2);
    await tell({
      dead: { mails: 4, webhooks: 0, telegram: 0, channels: 0 },
      now: minutesLater(62 + 24 * 60),
    });
    expect((await titlesTo(email)).at(-1)).toEqual(["Still: 4 messages could not be delivered"]);
  });

  it("an incident that an administrator wrote does not delay the alert about a degraded service", async () => {
    const { email } = await newOwner();
    const written = {
      topic: "health",
      text: "Prices are late.",
      path: "/admin",
      at: minutesLater(0),
    } as const;
    const write = (subject: string, title: string) =>
      db().transaction((tx) => recordAlertEvent(tx, { ...written, subject, title }));
    await write("posted-incident/901", "Incident: Prices");
    await tell({});
    await tell({ ...DOWN, now: minutesLater(13) });
    await write("posted-incident/902", "Incident: Charts");
    await tell({ ...DOWN, now: minutesLater(20) });
    expect(await titlesTo(email)).toEqual([["Incident: Prices"], ["The service is down"]]);
  });

  it("alerts respect chosen kinds and quiet hours, and go to owners only", async () => {
    const picky = await newOwner({ topics: ["disk_or_backup"] });
    const asleep = await newOwner({ quietFrom: 11, quietTo: 14 });
    const reader = await newOwner({}, "reader");
    await tell(DOWN);
    expect(await titlesTo(picky.email)).toEqual([]);
    expect(await titlesTo(asleep.email)).toEqual([]);
    expect(await titlesTo(reader.email)).toEqual([]);
    // The outage began and ended in the administrator's quiet hours, so one mail follows after them.
    await tell({ now: minutesLater(30) });
    await tell({ now: minutesLater(121) });
    expect(await titlesTo(asleep.email)).toEqual([["Was: The service is down"]]);
  });

  it("alerts are sent once by six checks at the same time", async () => {
    const { email } = await newOwner();
    await Promise.allSettled(Array.from({ length: 6 }, () => tell(DOWN)));
    expect(await titlesTo(email)).toEqual([["The service is down"]]);
    const [{ n }] = (await sql`select count(*)::int as n from alert_episodes`) as [{ n: number }];
    expect(n).toBe(1);
  });

  it("an unmapped product and a demoted champion are reported once each, with a link", async () => {
    const { email } = await newOwner();
    await deliver(paymentEvent({ productId: "nobody-mapped-this", itemName: "Basic" }));
    await sql`insert into slots (symbol, timeframe) select min(symbol), 'H1' from symbols on conflict do nothing`;
    const [slot] = await sql`select id, symbol, timeframe from slots order by id limit 1`;
    await sql`
      insert into trainings (slot_id, duration_ms, n_candles, from_ts, to_ts, data_hash, champion, change, reason, level, model_v, scores)
      values (${slot!.id}, 1, 1, now(), now(), 'x', 'baseline', 'demoted', 'Worse than the class frequencies.', 0.1, 'm', '{}')`;
    const now = new Date();
    await tell({ now });
    await tell({ now });
    const [items, ...more] = await mailsTo(email);
    expect(more).toEqual([]);
    expect(items!.map(({ title }) => title)).toEqual([
      "Unmapped product",
      `${slot!.symbol} ${slot!.timeframe}: the champion was demoted`,
    ]);
    expect(items![0]!.path).toMatch(/^\/admin\/payments\/[0-9]+$/);
    expect(items![1]!.path).toBe(`/admin/models/${slot!.symbol}/${slot!.timeframe}`);
  });

  it("alerts arrive by Telegram or as signed requests on the owner's server, as chosen", async () => {
    const receiver = await startWebhookReceiver();
    try {
      const chat = await newOwner({ way: "telegram", telegramChatId: 987_654, topics: ["health"] });
      const server = await newOwner({ way: "webhook", webhookUrl: receiver.url, topics: ["health"] });
      await tell(DOWN);
      const [message] =
        await sql`select text, kind, subscription_id from telegram_messages where chat_id = 987654`;
      expect(message).toMatchObject({ kind: "reply", subscription_id: null });
      expect(message!.text).toContain("http://localhost:3000/admin");
      receiver.answer((response) => {
        response.statusCode = 500;
        response.end();
      });
      await deliverAlertPosts(db(), NEVER_ABORTED);
      const [failed] =
        await sql`select state, last_code from alert_posts where administrator_id = ${server.id}`;
      expect(failed).toEqual({ state: "pending", last_code: "status_500" });
      await sql`update alert_posts set next_attempt_at = now()`;
      receiver.answer((response) => response.end("ok"));
      await deliverAlertPosts(db(), NEVER_ABORTED);
      const [sent] = await sql`select state from alert_posts where administrator_id = ${server.id}`;
      expect(sent!.state).toBe("sent");
      const { headers, body } = receiver.received.at(-1)!;
      const told = new Webhook(server.secret!).verify(body, headers as Record<string, string>);
      expect(told).toMatchObject({
        type: "owner.alert",
        data: { items: [{ title: "The service is down", url: "http://localhost:3000/admin" }] },
      });
      expect(await titlesTo(chat.email)).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  it("the alert forms save an owner's choices, give the secret once, send a test, and name an invalid field", async () => {
    const { id, email } = await newOwner();
    const cookie = await signInAdmin();
    const token = cookie.slice(cookie.indexOf("=") + 1);
    const fields = {
      topic_health: "true",
      way: "webhook",
      telegram_chat_id: "",
      url: "https://hooks.example.com/alerts",
      time_zone: "Europe/Berlin",
      quiet_from: "22",
      quiet_to: "7",
    };
    const flash = async () => consumeFlash(db(), (await authenticateAdminSession(token))!.sessionId);
    // A session by the installation's secret belongs to no person.
    await postAdminForm(save, {}, fields, { cookie });
    expect(await flash()).toMatchObject({ kind: "failed" });
    await sql`update sessions set administrator_id = ${id} where token_hash = ${sha256(token)}`;
    await postAdminForm(save, {}, fields, { cookie });
    const told = await flash();
    expect(told?.kind === "done" && told.text).toMatch(/whsec_[A-Za-z0-9+/=]{40,}/);
    const [row] =
      await sql`select topics, way, time_zone, quiet_from, quiet_to from alert_settings where administrator_id = ${id}`;
    expect(row).toEqual({
      topics: ["health"],
      way: "webhook",
      time_zone: "Europe/Berlin",
      quiet_from: 22,
      quiet_to: 7,
    });
    await postAdminForm(save, {}, fields, { cookie });
    expect(await flash()).toEqual({ kind: "done", text: "Saved." });
    await postAdminForm(save, {}, { ...fields, way: "mail", url: "" }, { cookie });
    expect(await flash()).toEqual({ kind: "done", text: "Saved." });
    await postAdminForm(sendTest, {}, {}, { cookie });
    expect(await titlesTo(email)).toEqual([["This is a test"]]);

    for (const [name, value] of [
      ["url", "http://127.0.0.2/hook"],
      ["telegram_chat_id", "@ada"],
      ["time_zone", "Nowhere/Land"],
      ["quiet_to", ""],
      ["quiet_to", "22"],
      ["way", "pigeon"],
    ] as const) {
      await postAdminForm(save, {}, { ...fields, [name]: value }, { cookie });
      const wrong = await flash();
      expect(wrong?.kind === "form" && Object.keys(wrong.errors)).toEqual([name]);
    }
  });
});

describe("alert conditions", () => {
  const topics = (facts: Partial<AlertInputs>): AlertTopic[] =>
    evaluateAlerts({ ...WELL, ...facts }).map(({ topic }) => topic);

  it("each alert condition holds beyond its limits, and none holds when all is well", () => {
    expect(topics({})).toEqual([]);
    expect(topics(DOWN)).toEqual(["health"]);
    const refused = (inARow: number, sinceMinutes: number, minutes: number) => ({
      refusals: {
        at: minutesLater(-minutes).toISOString(),
        since: minutesLater(-sinceMinutes).toISOString(),
        inARow,
      },
    });
    expect(topics(refused(3, 20, 5))).toEqual(["payments_refused"]);
    expect(topics(refused(2, 20, 5))).toEqual([]);
    expect(topics(refused(9, 90, 61))).toEqual([]);
    // A burst of requests by a stranger.
    expect(topics(refused(50, 6, 5))).toEqual([]);
    expect(topics({ dead: { mails: 0, webhooks: 0, telegram: 1, channels: 0 } })).toEqual(["dead_letters"]);
    expect(topics({ backup: { hours: null, isLate: true } })).toEqual(["disk_or_backup"]);
    expect(topics({ disk: { freeBytes: 900 * 1024 ** 2, totalBytes: 100 * 1024 ** 3 } })).toEqual([
      "disk_or_backup",
    ]);
    expect(topics({ disk: { freeBytes: 900 * 1024 ** 2, totalBytes: 4 * 1024 ** 3 } })).toEqual([]);
    expect(topics({ disk: null })).toEqual([]);
    expect(topics({ clients: { total: 10, offline: 6 } })).toEqual(["silent_clients"]);
    expect(topics({ clients: { total: 10, offline: 6 }, isMarketOpen: false })).toEqual([]);
    expect(topics({ clients: { total: 3, offline: 3 } })).toEqual([]);
    expect(topics({ lateModels: ["EURUSD H1 (gbt-7)"] })).toEqual(["own_model_late"]);
  });

  it("three refused deliveries over 15 minutes are an alert condition, and an accepted one resets their count", async () => {
    for (let n = 0; n < 3; n++)
      expect((await deliver(paymentEvent(), { signature: "0".repeat(64) })).status).toBe(403);
    await expect.poll(async () => (await readSignatureFailureRun(db()))?.inARow).toBe(3);
    const facts = await readAlertFacts(db(), new Date());
    const { at, inARow } = facts.refusals!;
    const refusals = { at, inARow, since: new Date(Date.parse(at) - 900_000).toISOString() };
    expect(evaluateAlerts({ ...facts, refusals, isMarketOpen: false }).map(({ topic }) => topic)).toContain(
      "payments_refused",
    );
    expect(facts.disk!.totalBytes).toBeGreaterThan(0);
    await deliver(paymentEvent());
    await expect.poll(async () => (await readSignatureFailureRun(db()))?.inARow).toBe(0);
  });

  it("refused deliveries are counted over all replicas, and an accepted one at any replica ends the count", async () => {
    await Promise.all([30, 20, 10].map((minutes) => addSignatureFailures(db(), 3, minutesLater(-minutes))));
    const stored = await readSignatureFailureRun(db());
    expect(stored?.inARow).toBe(9);
    await addSignatureFailures(db(), 1, minutesLater(0));
    expect(await readSignatureFailureRun(db())).toMatchObject({ inARow: 10, since: stored?.since });
    await deliver(paymentEvent());
    await expect.poll(async () => (await readSignatureFailureRun(db()))?.inARow).toBe(0);
    await addSignatureFailures(db(), 3, minutesLater(0));
    expect(await readSignatureFailureRun(db())).toMatchObject({
      inARow: 3,
      since: minutesLater(0).toISOString(),
    });
    await endSignatureFailureRun(db());
  });

  it("an alert about the component predictions names it Signals", async () => {
    await insertIncident(db(), {
      component: "predictions",
      severity: "degraded",
      reasons: [],
      openedAt: new Date(),
    });
    const facts = await readAlertFacts(db(), new Date());
    expect(evaluateAlerts(facts).find(({ topic }) => topic === "health")?.text).toContain("Signals: ");
  });

  it("an alert that ended before an owner chose its kind is not sent", () => {
    const episode = {
      id: 1,
      topic: "dead_letters",
      subject: "",
      title: "x",
      text: "x",
      path: "/admin",
      openedAt: minutesLater(-60),
      closedAt: minutesLater(-30),
    } as const;
    const choice = { topics: [...ALERT_TOPICS], timeZone: "UTC", quietFrom: null, quietTo: null };
    expect(dueNotifications([episode], [], { ...choice, updatedAt: minutesLater(-10) }, NOON)).toEqual([]);
    expect(dueNotifications([episode], [], { ...choice, updatedAt: minutesLater(-40) }, NOON)).toHaveLength(
      1,
    );
  });
});
