import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { declineDowntimeCredit, grantDueDowntimeCredits } from "@/lib/access/keys/grant-credits";
import { proposeDowntimeCredits } from "@/lib/health/credit/propose-credits";
import { isMarketOpen } from "@/lib/market/calendar";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, LOG_LEVEL: "warn" });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const now = new Date();
const FROM = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1);
const TO = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
/** A time after the month and all its outages. */
const LATER = new Date(TO + 2 * HOUR_MS);

const SLOTS = [
  { symbol: "EURUSD", timeframe: "H1", hours: 1, calendar: "fx" },
  { symbol: "GBPUSD", timeframe: "H1", hours: 1, calendar: "fx" },
  { symbol: "XAUUSD", timeframe: "H4", hours: 4, calendar: "metal" },
  { symbol: "BTCUSD", timeframe: "H1", hours: 1, calendar: "crypto" },
] as const;
type Slot = (typeof SLOTS)[number];
const BASIC: readonly string[] = ["EURUSD", "GBPUSD", "XAUUSD"];

interface Outage {
  /** What stops: the whole service, or the signals of these symbols. */
  stops: "service" | readonly string[];
  fromMs: number;
  toMs: number;
  /** Whether candles are missing during the outage too, because the market is closed. */
  closedFeed?: boolean;
}

/** The Tuesday of week `n` of the month, so that every market is open. */
const tuesday = (n: number) => {
  const first = new Date(FROM).getUTCDay();
  return FROM + (((9 - first) % 7) + 7 * n) * DAY_MS;
};
const OUTAGES: Outage[] = [
  // a night without the service
  { stops: "service", fromMs: tuesday(0) + 2 * HOUR_MS, toMs: tuesday(0) + 8.5 * HOUR_MS },
  // most slots of basic, and half of all
  { stops: ["EURUSD", "GBPUSD"], fromMs: tuesday(1) + 3 * HOUR_MS, toMs: tuesday(1) + 9 * HOUR_MS },
  // one of three slots: no credit
  { stops: ["XAUUSD"], fromMs: tuesday(1) + 12 * HOUR_MS, toMs: tuesday(2) },
  // a holiday of both currencies and gold
  {
    stops: ["EURUSD", "GBPUSD", "XAUUSD"],
    fromMs: tuesday(2) + 12 * HOUR_MS,
    toMs: tuesday(2) + 30 * HOUR_MS,
    closedFeed: true,
  },
  // on a Saturday, when only crypto trades
  { stops: "service", fromMs: tuesday(2) + 4 * DAY_MS, toMs: tuesday(2) + 4 * DAY_MS + 3 * HOUR_MS },
];

interface Made {
  tsMs: number;
  closeMs: number;
  madeMs: number;
}
const stops = (outage: Outage, slot: Slot) =>
  outage.stops === "service" || outage.stops.includes(slot.symbol);
const during = (outage: Outage, atMs: number) => atMs >= outage.fromMs && atMs < outage.toMs;

/** A slot's candles from before to after the month, with those that led to a signal. */
function history(slot: Slot): { candles: Made[]; signals: Made[] } {
  const candles: Made[] = [];
  const signals: Made[] = [];
  for (let tsMs = FROM - 9 * DAY_MS; tsMs < TO + HOUR_MS; tsMs += slot.hours * HOUR_MS) {
    if (!isMarketOpen(slot.calendar, new Date(tsMs))) continue;
    const closeMs = tsMs + slot.hours * HOUR_MS;
    const hit = OUTAGES.filter((outage) => stops(outage, slot) && during(outage, closeMs));
    const made = { tsMs, closeMs, madeMs: closeMs + 20_000 };
    if (!hit.some(({ closedFeed }) => closedFeed)) candles.push(made);
    if (hit.length === 0) signals.push(made);
  }
  return { candles, signals };
}

/** The loss of a plan minute by minute, from the injected outages alone. */
function expectedMinutes(symbols: readonly string[] | null): number {
  const slots = SLOTS.filter(({ symbol }) => symbols?.includes(symbol) ?? true).map((slot) => ({
    ...slot,
    ...history(slot),
    /** Number of the slot's signals that were made by the current minute. */
    made: 0,
  }));
  const openSince = (slot: Slot, fromMs: number, toMs: number, atMost: number) => {
    let open = 0;
    for (let at = fromMs; at < toMs && open <= atMost; at += MINUTE_MS)
      if (isMarketOpen(slot.calendar, new Date(at))) open++;
    return open;
  };
  let lost = 0;
  for (let minute = FROM; minute < TO; minute += MINUTE_MS) {
    const away = OUTAGES.some(
      // The probe of the previous minute was written.
      (outage) => outage.stops === "service" && minute >= outage.fromMs && minute < outage.toMs,
    );
    const open = slots.filter(({ calendar }) => isMarketOpen(calendar, new Date(minute)));
    for (const slot of slots) while ((slot.signals[slot.made]?.madeMs ?? Infinity) <= minute) slot.made++;
    const without = open.filter((slot) => {
      if (away) return true;
      const last = slot.signals[slot.made - 1];
      if (!last) return true;
      // Fresh by the clock alone, whatever the calendar.
      if (minute - last.closeMs < (slot.hours * 60 + 15) * MINUTE_MS) return false;
      const allowed = slot.hours * 60 + 15;
      if (openSince(slot, last.closeMs, minute, allowed) < allowed) return false;
      const next = slot.candles.find(({ tsMs }) => tsMs > last.tsMs);
      return next !== undefined && openSince(slot, next.closeMs, minute, 15) >= 15;
    });
    if (open.length > 0 && without.length > 0 && without.length * 2 >= open.length) lost++;
  }
  return lost;
}

let sql: postgres.Sql;
const buyers: Record<string, { email: string; subscriptionId: number; keyId: number }> = {};

async function subscribe(name: string, productId: string, paidAtMs: number): Promise<void> {
  const email = freshEmail();
  const { json } = await deliver(paymentEvent({ email, productId, id: `inv-${name}` }));
  const [key] = await sql`select subscription_id from api_keys where id = ${json.key_id}`;
  await sql`update invoices set created_at = ${new Date(paidAtMs)} where invoice_id = ${`inv-${name}`}`;
  buyers[name] = { email, subscriptionId: key!.subscription_id, keyId: json.key_id };
}

beforeAll(async () => {
  sql = connectDirectly();
  let seq = 0;
  for (const slot of SLOTS) {
    const [row] = await sql`
      insert into slots (symbol, timeframe) values (${slot.symbol}, ${slot.timeframe}) returning id`;
    const { candles, signals } = history(slot);
    const times = JSON.stringify(candles.map(({ tsMs }) => new Date(tsMs)));
    await sql`
      insert into candles (slot_id, ts, open, high, low, close)
      select ${row!.id}, c.ts::timestamptz, 1, 1, 1, 1 from jsonb_array_elements_text(${times}::text::jsonb) c(ts)`;
    await sql`
      insert into signals ${sql(
        signals.map(({ tsMs, closeMs, madeMs }) => ({
          seq: ++seq,
          slot_id: row!.id,
          ts: new Date(tsMs),
          closes_at: new Date(closeMs),
          model_v: "m1",
          signal: "NO_TRADE",
          confidence: 0.5,
          prob_buy: 0.25,
          prob_sell: 0.25,
          prob_no: 0.5,
          regime: "RANGE",
          expected_rr: 1.5,
          created_at: new Date(madeMs),
        })),
      )}`;
  }
  await sql`
    insert into health_probes (minute, status)
    select m, 'ok' from generate_series(${new Date(FROM)}::timestamptz, ${LATER}::timestamptz, '1 minute') m`;
  for (const outage of OUTAGES)
    if (outage.stops === "service")
      await sql`
        delete from health_probes where minute >= ${new Date(outage.fromMs)} and minute < ${new Date(outage.toMs)}`;
  await sql`
    insert into incidents (component, severity, reasons, opened_at, closed_at)
    values ('service', 'down', '{"not_running: the service did not run, so nothing was observed"}',
            ${new Date(OUTAGES[0]!.fromMs)}, ${new Date(OUTAGES[0]!.toMs)})`;
  await subscribe("basic", "3031361", FROM - DAY_MS);
  await subscribe("pro", "3031367", FROM - DAY_MS);
  await subscribe("late", "3031367", tuesday(2));
  await subscribe("ended", "3031361", FROM - DAY_MS);
  await subscribe("refunded", "3031361", FROM - DAY_MS);
  await sql`update api_keys set expires_at = now() - interval '1 day' where id = ${buyers.ended!.keyId}`;
  await deliver(
    paymentEvent({ event: "payment.invoice_refunded", id: "inv-refunded", email: buyers.refunded!.email }),
  );
  await sql`delete from mail_outbox`;
}, 120_000);
afterAll(() => sql.end());

const creditsOf = (name: string) => sql`
  select * from downtime_credits where subscription_id = ${buyers[name]!.subscriptionId}`;
const endOf = async (name: string): Promise<Date> =>
  (await sql`select expires_at from api_keys where id = ${buyers[name]!.keyId}`)[0]!.expires_at;
const never = new AbortController().signal;

describe("downtime credits", () => {
  it("downtime credits equal the injected outages, minute for minute", async () => {
    expect(await proposeDowntimeCredits(workerDb(), LATER)).toBeGreaterThan(0);
    const [basic] = await creditsOf("basic");
    const [pro] = await creditsOf("pro");
    expect(basic!.minutes).toBe(expectedMinutes(BASIC));
    expect(pro!.minutes).toBe(expectedMinutes(null));
    // The outages of a night and of a morning count. That of gold's signals alone, the holiday and the weekend do not.
    expect(basic!.minutes).toBeGreaterThan(600);
    expect(basic!.minutes).toBeLessThan(14 * 60);
    // Bitcoin trades on Saturday.
    expect(pro!.stretches).toHaveLength(3);
    expect(basic!.stretches).toHaveLength(2);
    expect(basic!.stretches[0].what).toBe("the service did not run, so nothing was observed");
    expect(basic!.stretches[1].what).toBe("no fresh signals");
  });

  it("downtime credits count only time after the first payment, and only active keys", async () => {
    const [late] = await creditsOf("late");
    // Three hours without the service, and the minute until the next signal.
    expect(late!.minutes).toBe(181);
    expect(await creditsOf("ended")).toEqual([]);
    expect(await creditsOf("refunded")).toEqual([]);
  });

  it("downtime credits are proposed once per month", async () => {
    expect(await proposeDowntimeCredits(workerDb(), LATER)).toBeNull();
    await sql`delete from settings where name = 'downtime_credit_month'`;
    expect(await proposeDowntimeCredits(workerDb(), LATER)).toBe(0);
  });

  it("downtime credits are granted only after the operator had a day to review", async () => {
    const before = await endOf("basic");
    expect(await grantDueDowntimeCredits(workerDb(), new Date(LATER.getTime() + 23 * HOUR_MS), never)).toBe(
      0,
    );
    expect(await endOf("basic")).toEqual(before);
  });

  it("downtime credits extend access once with an audit row and a mail, except where declined", async () => {
    const [late] = await creditsOf("late");
    const actor = { kind: "command" } as const;
    await declineDowntimeCredit(workerDb(), late!.id, actor);
    await expect(declineDowntimeCredit(workerDb(), late!.id, actor)).rejects.toMatchObject({
      code: "conflict",
    });
    const [basicEnd, proEnd, lateEnd] = await Promise.all([endOf("basic"), endOf("pro"), endOf("late")]);
    const [[basic], [pro]] = await Promise.all([creditsOf("basic"), creditsOf("pro")]);
    const due = new Date(LATER.getTime() + DAY_MS);
    // Two workers at the same time.
    const granted = await Promise.all([
      grantDueDowntimeCredits(workerDb(), due, never),
      grantDueDowntimeCredits(workerDb(), due, never),
    ]);
    expect(granted[0]! + granted[1]!).toBe(2);
    expect((await endOf("basic")).getTime() - basicEnd.getTime()).toBe(basic!.minutes * MINUTE_MS);
    expect((await endOf("pro")).getTime() - proEnd.getTime()).toBe(pro!.minutes * MINUTE_MS);
    expect(await endOf("late")).toEqual(lateEnd);
    const mails = await sql`select kind, props from mail_outbox where recipient = ${buyers.basic!.email}`;
    expect(mails).toMatchObject([
      { kind: "downtime-credited", props: { minutes: basic!.minutes, stretches: basic!.stretches } },
    ]);
    const audits = await sql`
      select details from admin_audit where action = 'credit.grant' and target = ${`key/${buyers.basic!.keyId}`}`;
    expect(audits).toMatchObject([{ details: { minutes: basic!.minutes } }]);
  });

  it("downtime credits are void for a key that ended meanwhile", async () => {
    await sql`
      insert into downtime_credits (subscription_id, month, minutes, stretches, due_at)
      values (${buyers.ended!.subscriptionId}, '2020-01-01', 90, '[]', now() - interval '1 hour')`;
    expect(await grantDueDowntimeCredits(workerDb(), now, never)).toBe(0);
    expect((await creditsOf("ended"))[0]!.state).toBe("void");
  });

  it("an outage across the month's end counts before the first probe after it", async () => {
    const [pro] = await creditsOf("pro");
    await sql`delete from settings where name = 'downtime_credit_month'`;
    await sql`delete from downtime_credits`;
    await sql`delete from health_probes where minute >= ${new Date(TO - 3 * HOUR_MS)}`;
    await proposeDowntimeCredits(workerDb(), LATER);
    expect((await creditsOf("pro"))[0]!.minutes - pro!.minutes).toBe(180);
  });

  it("downtime credits are not proposed when switched off", async () => {
    await sql`delete from settings where name = 'downtime_credit_month'`;
    await sql`delete from downtime_credits`;
    await sql`update settings set value = value || '{"enabled": false}' where name = 'downtime_credit'`;
    expect(await proposeDowntimeCredits(workerDb(), LATER)).toBe(0);
  });
});
