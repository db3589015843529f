import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listKeyLastCalls } from "@/db/queries/keys";
import { countNoticeRecipients } from "@/db/queries/notices";
import { listPaidTimeHistory } from "@/db/queries/paid-time";
import { countPlanHolders, listPlanHolderGroups } from "@/db/queries/plans";
import { writeSetting } from "@/db/queries/settings";
import { computePlanChangePreview } from "@/lib/access/change-plan";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { describeScope } from "@/lib/access/describe-scope";
import { changeGrant } from "@/lib/access/keys/change-grant";
import { changeKeyEnd } from "@/lib/access/keys/change-key-end";
import { findPaidUntil, listPaidUntil, splitPaidTime } from "@/lib/access/keys/paid-time-of-keys";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import { mergeCarriedOnTime } from "@/lib/access/paid-time";
import { effectiveScope, type Plan, planOf } from "@/lib/access/plans";
import { exportSettings, importSettings } from "@/lib/admin/settings/settings-file";
import { accessCoversChannelEvent } from "@/lib/outbound/channels/address-channel";
import { queuePlanEndingMails } from "@/lib/outbound/mail/plan-ending";
import { accessCoversWebhookEvent } from "@/lib/outbound/webhooks/queue-events";
import { applyDelivery } from "@/lib/payments/apply-delivery";
import { type PaymentDelivery, parseGenericDelivery } from "@/lib/payments/delivery";
import { includesFeature } from "@/lib/runtime/plan-features";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { DAY_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { freshEmail, paymentEvent } from "@/tests/support/payments";

useDatabase();

const TELEGRAM = "3031357";
const BASIC = "3031361";
const BASIC_YEAR = "3031365";
const PRO = "3031367";
const ACTOR = { kind: "command" } as const;

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

/** Pays for a product this many days ago, on any platform. */
async function pay(email: string, productId: string, daysAgo = 0, wish: Partial<PaymentDelivery> = {}) {
  const event = paymentEvent({ email, productId, paid_at: ago(daysAgo).toISOString() });
  const read = parseGenericDelivery(Buffer.from(JSON.stringify(event)), new Date());
  const delivery = { ...read, ...wish };
  const { outcome } = await db().transaction((tx) =>
    applyDelivery(tx, delivery, { actor: ACTOR, bodyDigest: null }),
  );
  return outcome;
}

async function keyOf(email: string) {
  const [key] = await sql`
    select k.* from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${email} and k.revoked_at is null and k.rotated_at is null order by k.id desc limit 1`;
  return key!;
}

/** Days from now to the end of access. */
const daysLeft = async (email: string) => ((await keyOf(email)).expires_at.getTime() - Date.now()) / DAY_MS;

const plansOf = async (email: string) =>
  ((await keyOf(email)).stretches as { plans: string[] }[] | null)?.map(({ plans }) => plans.join("+"));

const kindsOf = async (email: string) => {
  const { id } = await keyOf(email);
  const rows = await sql`select kind, plan_tier, ended_at from paid_time where key_id = ${id} order by id`;
  return rows.map(({ kind, plan_tier, ended_at }) => `${kind} ${plan_tier}${ended_at ? " ended" : ""}`);
};

describe("paid time", () => {
  it("payments for Pro, Basic, Basic and Telegram each last as long as paid", async () => {
    const email = freshEmail();
    for (const product of [PRO, BASIC, BASIC, TELEGRAM]) await pay(email, product);
    expect(await plansOf(email)).toEqual(["pro", "basic", "telegram"]);
    expect(await daysLeft(email)).toBeCloseTo(4 * 31 + 3, 2);
  });

  it("a year of Basic and then a month of Pro give Pro for a month first", async () => {
    const email = freshEmail();
    await pay(email, BASIC_YEAR);
    const { answer } = await pay(email, PRO);
    expect(answer).toMatchObject({ action: "already_provisioned", plan: "pro" });
    const key = await keyOf(email);
    expect(key.plan_tier).toBe("pro");
    const [first] = key.stretches;
    expect((Date.parse(first.until) - Date.now()) / DAY_MS).toBeCloseTo(31, 2);
    expect(await daysLeft(email)).toBeCloseTo(365 + 31 + 3, 2);
  });

  it("an expired Pro key that pays for Telegram has Telegram", async () => {
    const email = freshEmail();
    await pay(email, PRO, 200);
    const { answer } = await pay(email, TELEGRAM);
    expect(answer).toMatchObject({ action: "already_provisioned", plan: "telegram" });
    expect(await plansOf(email)).toBeUndefined();
    expect(await daysLeft(email)).toBeCloseTo(31, 2);
  });

  it("paid time has the same plans and end in three orders of arrival of four payments", async () => {
    const sales = [
      [PRO, 40],
      [BASIC, 35],
      [TELEGRAM, 20],
      [PRO, 5],
    ] as const;
    const ends: number[] = [];
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
    ]) {
      const email = freshEmail();
      for (const i of order) await pay(email, sales[i]![0], sales[i]![1]);
      expect(await plansOf(email)).toEqual(["pro", "basic", "telegram"]);
      ends.push(await daysLeft(email));
    }
    expect(ends[1]).toBeCloseTo(ends[0]!, 2);
    expect(ends[2]).toBeCloseTo(ends[0]!, 2);
  });

  it("a trial lasts exactly its length, then the period that the first charge names", async () => {
    const email = freshEmail();
    const from = ago(0);
    const until = new Date(from.getTime() + 7 * DAY_MS);
    await pay(email, PRO, 0, { period: { from, until }, isTrial: true });
    expect((await keyOf(email)).expires_at).toEqual(until);
    const next = new Date(until.getTime() + 31 * DAY_MS);
    await pay(email, PRO, 0, { period: { from: until, until: next } });
    expect((await keyOf(email)).expires_at).toEqual(new Date(next.getTime() + 3 * DAY_MS));
  });

  it("the mail about a renewal and the portal state the end of the paid time without its grace", async () => {
    const email = freshEmail();
    await pay(email, BASIC, 1);
    await pay(email, BASIC);
    const { id, expires_at } = await keyOf(email);
    const [mail] = await sql`select props from mail_outbox where recipient = ${email} and kind = 'renewed'`;
    const paidUntil = new Date(expires_at.getTime() - 3 * DAY_MS);
    expect(mail!.props.paidUntil).toBe(writeInstant(paidUntil));
    expect(await findPaidUntil(db(), id, new Date())).toEqual(paidUntil);
    await changeKeyEnd(db(), id, null, ACTOR, new Date());
    expect(await findPaidUntil(db(), id, new Date())).toBeNull();
  });

  it("paid time is converted at once when the platform changes to a higher plan, and not when it changes to a lower one", async () => {
    const email = freshEmail();
    const subscription = { externalSubscriptionId: `sub-${email}` };
    await pay(email, BASIC, 10, subscription);
    const change = { ...subscription, event: null, means: "plan_changed" } as const;
    await pay(email, PRO, 0, change);
    expect(await kindsOf(email)).toEqual(["payment basic ended", "change pro"]);
    expect((await keyOf(email)).plan_tier).toBe("pro");
    expect(await daysLeft(email)).toBeCloseTo(21 + 3, 2);
    await pay(email, PRO, 0, change);
    await pay(email, BASIC, 0, change);
    expect(await kindsOf(email)).toEqual(["payment basic ended", "change pro"]);
    const unknown = await pay(email, "no-such-product", 0, change);
    expect(unknown.flags).toContain("unmapped_product");
  });

  /**
   * A month that ended two days ago, with a failed payment during its three-day grace: access for ten more days. Four
   * days later the buyer pays.
   */
  async function inFailureGrace(wish: Partial<PaymentDelivery>) {
    const email = freshEmail();
    const subscription = { externalSubscriptionId: `sub-${email}` };
    await pay(email, BASIC, 33, subscription);
    await writeSetting(db(), "payment_events", { failureGraceDays: 10 });
    await pay(email, "no-such-product", 0, { ...subscription, event: null, means: "failed" });
    expect(await daysLeft(email)).toBeCloseTo(10, 2);
    expect(await kindsOf(email)).toEqual(["payment basic", "grace basic"]);
    // Four days pass, so that the payment's grace is over too.
    const { id } = await keyOf(email);
    await sql`update paid_time set starts_at = starts_at - interval '4 days' where key_id = ${id}`;
    await sql`update api_keys set expires_at = expires_at - interval '4 days' where id = ${id}`;
    await pay(email, BASIC, 0, { ...subscription, ...wish });
    return email;
  }

  it("a late payment within the failed-payment grace starts when the paid days ended", async () => {
    expect(await daysLeft(await inFailureGrace({}))).toBeCloseTo(25 + 3, 2);
    const period = { from: ago(6), until: ago(-24) };
    expect(await daysLeft(await inFailureGrace({ period }))).toBeCloseTo(24 + 3, 2);
  });

  it("a buyer's payment for a second subscription, within the grace of a failed payment for the first, starts when it is made", async () => {
    const email = await inFailureGrace({ externalSubscriptionId: "another" });
    expect(await daysLeft(email)).toBeCloseTo(31, 2);
    expect(await kindsOf(email)).toEqual(["payment basic", "grace basic ended", "payment basic"]);
  });

  it("an end that an administrator sets during the grace of a failed payment is exact, whether before or after the grace's end", async () => {
    const email = freshEmail();
    await pay(email, BASIC, 33);
    await pay(email, "no-such-product", 0, { event: null, means: "failed" });
    const end = new Date(Date.now() + 20 * DAY_MS);
    await changeKeyEnd(db(), (await keyOf(email)).id, end, ACTOR, new Date());
    expect((await keyOf(email)).expires_at).toEqual(end);
    const sooner = new Date(Date.now() + 5 * DAY_MS);
    await changeKeyEnd(db(), (await keyOf(email)).id, sooner, ACTOR, new Date());
    expect((await keyOf(email)).expires_at).toEqual(sooner);
  });

  it("paid time waits behind an unlimited grant, and days of a higher plan come before it", async () => {
    const email = freshEmail();
    await makeKey({ email, plan_tier: "basic" });
    await pay(email, PRO);
    expect(await plansOf(email)).toEqual(["pro", "basic"]);
    expect((await keyOf(email)).expires_at).toBeNull();
  });

  it("an end of paid time set by an administrator is exact, and a later end adds an extension to the paid time", async () => {
    const email = freshEmail();
    await pay(email, PRO);
    await pay(email, BASIC);
    const { id, expires_at: end } = await keyOf(email);
    const later = new Date(end.getTime() + 10 * DAY_MS);
    await changeKeyEnd(db(), id, later, ACTOR, new Date());
    expect((await keyOf(email)).expires_at).toEqual(later);
    expect(await kindsOf(email)).toEqual(["payment pro", "payment basic", "extension pro"]);

    const sooner = new Date(Date.now() + 50 * DAY_MS);
    await changeKeyEnd(db(), id, sooner, ACTOR, new Date());
    expect((await keyOf(email)).expires_at).toEqual(sooner);
    expect(await plansOf(email)).toEqual(["pro", "basic"]);

    const grant = { planTier: "telegram", symbolsAllowed: null, tfsAllowed: null, rateLimitPerMin: null };
    await changeGrant(db(), id, grant, ACTOR);
    expect(await keyOf(email)).toMatchObject({ plan_tier: "telegram", expires_at: sooner, stretches: null });
  });

  it("the next payment keeps the plan and the end that a replica of the previous release wrote to the key", async () => {
    const email = freshEmail();
    await pay(email, BASIC);
    const { id, expires_at: end } = await keyOf(email);
    const moved = new Date(end.getTime() + 31 * DAY_MS);
    await sql`update api_keys set plan_tier = 'pro', expires_at = ${moved} where id = ${id}`;
    await pay(email, BASIC);
    expect(await plansOf(email)).toEqual(["pro", "basic"]);
    expect((await keyOf(email)).expires_at).toEqual(new Date(moved.getTime() + 31 * DAY_MS));
  });

  it("paid time moves to the key that a rotation creates, and later payments extend it there", async () => {
    const email = freshEmail();
    await pay(email, PRO);
    await pay(email, BASIC);
    const { id, subscription_id, expires_at: end } = await keyOf(email);
    await rotateKey(db(), { keyId: id, subscriptionId: subscription_id }, ACTOR);
    expect(await plansOf(email)).toEqual(["pro", "basic"]);
    await pay(email, TELEGRAM);
    expect((await keyOf(email)).expires_at).toEqual(new Date(end.getTime() + 31 * DAY_MS));
  });

  it("splitPaidTime replaces payments by rows for the remaining time, without changing plans or end", async () => {
    const email = freshEmail();
    await pay(email, PRO, 20);
    await pay(email, BASIC, 20);
    const before = await keyOf(email);
    const pro = planOf("pro");
    await db().transaction((tx) =>
      splitPaidTime(tx, [{ before: pro, after: { ...pro, rank: pro.rank + 1 } }], new Date()),
    );
    const after = await keyOf(email);
    expect([after.expires_at, after.stretches]).toEqual([before.expires_at, before.stretches]);
    expect(await kindsOf(email)).toEqual([
      "payment pro ended",
      "payment basic ended",
      "change pro",
      "change basic",
    ]);
    const [basic] = await sql`
      select duration_ms from paid_time where key_id = ${before.id} and plan_tier = 'basic' and ended_at is null`;
    expect(Number(basic!.duration_ms)).toBe(31 * DAY_MS);
  });

  it("a settings import that changes only a plan's price leaves paid time as it is, and one of its rank divides it", async () => {
    const email = freshEmail();
    await pay(email, PRO, 20);
    await pay(email, BASIC, 20);
    const change = async (wanted: Partial<Plan>) => {
      const file = await exportSettings(db());
      const plans = file.plans.map((plan) => (plan.name === "pro" ? { ...plan, ...wanted } : plan));
      expect(await importSettings(db(), { ...file, plans }, {}, ACTOR)).toMatchObject({ ok: true });
    };
    await change({ priceText: "59 EUR a month" });
    expect(await kindsOf(email)).toEqual(["payment pro", "payment basic"]);
    const { rank } = planOf("pro");
    await change({ rank: rank + 1 });
    expect(await kindsOf(email)).toHaveLength(4);
    const { subscription_id } = await keyOf(email);
    const shown = mergeCarriedOnTime(await listPaidTimeHistory(db(), subscription_id));
    expect(shown.map(({ kind, planTier, endedAt }) => [kind, planTier, endedAt])).toEqual([
      ["payment", "basic", null],
      ["payment", "pro", null],
    ]);
    await change({ rank, priceText: null });
  });

  it("paid time is granted once per invoice, by a constraint", async () => {
    const email = freshEmail();
    await pay(email, PRO);
    const { id } = await keyOf(email);
    await expect(sql`
      insert into paid_time (subscription_id, key_id, kind, invoice_id, plan_tier, starts_at)
      select subscription_id, key_id, kind, invoice_id, plan_tier, starts_at from paid_time where key_id = ${id}`).rejects.toMatchObject(
      { code: "23505" },
    );
  });
});

describe("the current plan", () => {
  /** A key whose Pro days just ended and whose Basic days continue, before any job has run. */
  async function acrossTheBoundary() {
    const made = await makeKey({ email: freshEmail(), plan_tier: "pro" });
    const until = new Date(Date.now() - 1000).toISOString();
    const stretches = [
      { plans: ["pro"], until },
      { plans: ["basic"], until: null },
    ];
    await sql`update api_keys set stretches = ${sql.json(stretches)} where id = ${made.keyId}`;
    return made;
  }

  it("requests and lists show the next plan as soon as the days of the former plan are over", async () => {
    const { key, keyId } = await acrossTheBoundary();
    const scan = await call("GET", "/api/scan", { key });
    expect(scan.json).toMatchObject({ plan_tier: "basic", filtered_by_plan: true });
    const me = await call("GET", "/api/account/me", { key });
    expect(me.json).toMatchObject({ plan_tier: "basic", rate_limit_per_min: 60 });
    const listed = await call("GET", "/admin/keys?plan_tier=basic", { admin: true });
    expect(listed.json.keys.map(({ key_id }: { key_id: number }) => key_id)).toContain(keyId);
  });

  it("the current plan combines the scopes of parallel plans", async () => {
    await sql`
      insert into plans (name, title, rank, symbols, timeframes, rate_limit_per_min, long_poll, stream, webhooks, telegram)
      values ('gold', 'Gold', 150, '{XAUUSD}', null, 90, false, true, false, false),
             ('forex', 'Forex', 140, '{EURUSD}', '{H1}', 45, true, false, true, true)`;
    const email = freshEmail();
    const { key, keyId } = await makeKey({ email, plan_tier: "basic" });
    const stretches = [{ plans: ["gold", "forex"], until: null }];
    await sql`update api_keys set stretches = ${sql.json(stretches)} where id = ${keyId}`;
    await settingsCache().readAgain();
    const me = await call("GET", "/api/account/me", { key });
    expect(me.json).toMatchObject({ plan_tier: "gold", rate_limit_per_min: 90 });

    const grant = {
      planTier: "gold",
      plans: ["gold", "forex"],
      symbolsAllowed: null,
      tfsAllowed: null,
      rateLimitPerMin: null,
      delayCandles: null,
    };
    for (const feature of ["longPoll", "stream", "webhooks", "telegram"] as const)
      expect([feature, includesFeature(grant, feature)]).toEqual([feature, true]);
    expect(includesFeature({ ...grant, plans: null }, "webhooks")).toBe(false);
    const { subscription_id: subscriptionId } = await keyOf(email);
    const access = computeReceiverAccess({ subscriptionId, grant });
    expect(accessCoversWebhookEvent(access, { symbol: "EURUSD", timeframe: "H1" })).toBe(true);
    expect(accessCoversWebhookEvent(access, { symbol: "EURUSD", timeframe: "H4" })).toBe(false);
    expect(accessCoversChannelEvent(access, { symbol: "XAUUSD", timeframe: "H4" })).toBe(true);
    expect(describeScope(effectiveScope(grant))).toBe("XAUUSD on every timeframe, and EURUSD on H1");
    const holders = await countPlanHolders(db());
    expect([holders.get("gold"), holders.get("forex")]).toEqual([1, 1]);
    const listed = await call("GET", "/admin/keys?plan_tier=forex", { admin: true });
    expect(listed.json.keys.map(({ key_id }: { key_id: number }) => key_id)).toContain(keyId);
    expect(await countNoticeRecipients(db(), "forex")).toBe(1);
    const caller = (await listKeyLastCalls(db())).find((found) => found.keyId === keyId);
    expect(caller).toMatchObject({ plans: ["gold", "forex"], delayCandles: null });
    const [held] = await listPlanHolderGroups(db(), "forex");
    const forex = settingsCache().now.plans.find(({ name }) => name === "forex")!;
    const slots = [
      { symbol: "EURUSD", timeframe: "H1" },
      { symbol: "XAUUSD", timeframe: "H1" },
    ] as const;
    const { lines } = computePlanChangePreview(forex, { ...forex, symbols: ["XAUUSD"] }, [held!], slots);
    expect(lines[0]).toContain("would lose EURUSD H1");
    expect(lines[0]).not.toContain("XAUUSD");
  });

  it("a lower plan is announced once before it begins", async () => {
    const email = freshEmail();
    await pay(email, PRO, 27);
    await pay(email, BASIC);
    await queuePlanEndingMails(db(), new Date(), listPaidUntil);
    await queuePlanEndingMails(db(), new Date(), listPaidUntil);
    const mails =
      await sql`select props from mail_outbox where recipient = ${email} and kind = 'plan-ending'`;
    const { id } = await keyOf(email);
    const paidUntil = (await findPaidUntil(db(), id, new Date()))!.toISOString().replace(/\.\d+/, "");
    expect(mails).toMatchObject([{ props: { planTier: "pro", nextPlan: "basic", paidUntil } }]);
  });

  it("a moved begin of a lower plan is announced again only a day after the last mail about it", async () => {
    const email = freshEmail();
    await pay(email, PRO, 27);
    await pay(email, BASIC);
    await queuePlanEndingMails(db(), new Date(), listPaidUntil);
    const { id } = await keyOf(email);
    const until = new Date(Date.now() + 6 * DAY_MS).toISOString();
    await sql`update api_keys set stretches = jsonb_set(stretches, '{0,until}', ${sql.json(until)}) where id = ${id}`;
    const mails = () =>
      sql`select 1 as n from mail_outbox where recipient = ${email} and kind = 'plan-ending'`;
    await queuePlanEndingMails(db(), new Date(), listPaidUntil);
    expect(await mails()).toHaveLength(1);
    await queuePlanEndingMails(db(), new Date(Date.now() + DAY_MS + 60_000), listPaidUntil);
    expect(await mails()).toHaveLength(2);
  });
});
