import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { db } from "@/db/client";
import { uniformSource } from "@/lib/engine/random";
import { applyDelivery } from "@/lib/payments/apply-delivery";
import { type PaymentDelivery, parseGenericDelivery } from "@/lib/payments/delivery";

const DAY_MS = 86_400_000;
/** Tolerance, because the service's clock advances while a subscriber is simulated. */
const TOLERANCE_MS = 600_000;
const ACTOR = { kind: "webhook", requestId: "late" } as const;
const PERIOD_DAYS = 31;
const GRACE_DAYS = 3;

/**
 * Draws subscribers whose renewals fail up to three times and who pay some days later, within or after the grace, on
 * platforms that name the paid period and on others. After each payment, the end of access must match the days paid:
 * grace days never count as paid. Throws with the seed of a difference.
 */
export async function runLatePayments(
  sql: postgres.Sql,
  { subscribers, seed, lanes = 1 }: { subscribers: number; seed: number; lanes?: number },
): Promise<{ subscribers: number; payments: number }> {
  await sql`
    insert into products (adapter, external_id, plan_tier, period_days, grace_days)
    select 'stripe', 'late', 'basic', ${PERIOD_DAYS}, ${GRACE_DAYS} on conflict do nothing`;
  const report = { subscribers: 0, payments: 0 };
  let next = 0;
  const lane = async () => {
    while (next < subscribers) {
      const payments = await simulateSubscriber(sql, seed + next++);
      report.payments += payments;
      report.subscribers++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return report;
}

/** Simulates one subscriber. Returns the number of payments. */
async function simulateSubscriber(sql: postgres.Sql, seed: number): Promise<number> {
  const random = uniformSource(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const run = randomUUID().slice(0, 13);
  const email = `${run}@late.example`;
  const namesPeriod = random() < 0.5;
  const told: string[] = [];

  /** Moves the subscriber's paid time, keys, graces and invoices this many days into the past. */
  const pass = async (days: number) => {
    told.push(`${days} days pass`);
    const ms = `${Math.round(days * DAY_MS)} milliseconds`;
    const of = sql`(select id from subscriptions where email_normalized = ${email})`;
    await sql`update paid_time set starts_at = starts_at - ${ms}::interval, ended_at = ended_at - ${ms}::interval,
                     created_at = created_at - ${ms}::interval where subscription_id in ${of}`;
    await sql`update api_keys set expires_at = expires_at - ${ms}::interval where subscription_id in ${of}`;
    await sql`update payment_graces set created_at = created_at - ${ms}::interval, ends_at = ends_at - ${ms}::interval
               where subscription_id in ${of}`;
    await sql`update invoices set created_at = created_at - ${ms}::interval where subscription_id in ${of}`;
  };
  const deliver = async (wish: Partial<PaymentDelivery>) => {
    const body = { nonce: random(), data: { status: "paid", buyer: { name: "Late", email } } };
    const read = parseGenericDelivery(Buffer.from(JSON.stringify(body)), new Date());
    const delivery: PaymentDelivery = {
      ...read,
      adapter: "stripe",
      externalSubscriptionId: `sub_${run}`,
      firstItem: { productIds: ["late"], name: "" },
      flags: [],
      ...wish,
    };
    await db().transaction((tx) => applyDelivery(tx, delivery, { actor: ACTOR, bodyDigest: null }));
  };
  const endOf = async () => {
    const [key] = await sql`
      select k.expires_at from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email_normalized = ${email} and k.revoked_at is null`;
    return key?.expires_at.getTime() - Date.now();
  };

  let payments = 0;
  /** End of the paid days and of the failed-payment grace, both relative to now. */
  let daysMs = 0;
  let failureGraceMs: number | null = null;
  /** Length of the payment grace, which applies once: after the paid days, if no payment follows. */
  let ownGraceMs = GRACE_DAYS * DAY_MS;
  const lastsMs = () => Math.max(daysMs + ownGraceMs, failureGraceMs ?? daysMs);

  const moveOn = async (days: number) => {
    await pass(days);
    daysMs -= days * DAY_MS;
    if (failureGraceMs !== null) failureGraceMs -= days * DAY_MS;
  };
  const fail = async () => {
    told.push("fails");
    await deliver({
      event: "invoice.payment_failed",
      means: "failed",
      invoiceId: `stripe:in_${run}_${payments}`,
      status: null,
    });
    if (failureGraceMs === null && lastsMs() > 0) failureGraceMs = Math.max(lastsMs(), GRACE_DAYS * DAY_MS);
  };
  const pay = async () => {
    told.push(`pays ${(-daysMs / DAY_MS).toFixed(1)} days late`);
    const isNew = payments === 0 || (!namesPeriod && lastsMs() < 0);
    if (isNew && payments > 0) ownGraceMs = 0;
    const fromMs = isNew ? 0 : daysMs;
    const from = new Date(Date.now() + fromMs);
    await deliver({
      event: "payment.invoice_paid",
      invoiceId: `stripe:in_${run}_${payments}`,
      status: "paid",
      paidAt: new Date(),
      period: namesPeriod ? { from, until: new Date(from.getTime() + PERIOD_DAYS * DAY_MS) } : null,
    });
    payments++;
    daysMs = fromMs + PERIOD_DAYS * DAY_MS;
    failureGraceMs = null;
    const isMs = await endOf();
    if (Math.abs(isMs - lastsMs()) < TOLERANCE_MS) return;
    const rows = await sql`
      select p.kind, p.starts_at, p.duration_ms, p.grace_ms, p.ended_at from paid_time p
        join subscriptions s on s.id = p.subscription_id where s.email_normalized = ${email} order by p.id`;
    throw new Error(
      `seed ${seed}: access ends in ${(isMs / DAY_MS).toFixed(2)} days instead of ${(lastsMs() / DAY_MS).toFixed(2)}
${told.join("\n")}\n${rows.map((row) => JSON.stringify(row)).join("\n")}`,
    );
  };

  await pay();
  for (let month = 2 + pick(4); month > 0; month--) {
    // A renewal fails shortly before the days end or, when the platform's month is shorter, some days before. Never at
    // the very end: the time that a step takes would decide whether access had ended.
    await moveOn(daysMs / DAY_MS - 0.01 - pick(4) * 0.9);
    for (let failures = pick(4); failures > 0; failures--) {
      await fail();
      await moveOn(pick(3) * 0.7);
    }
    await moveOn(pick(4) * 0.6);
    await pay();
  }
  return payments;
}
