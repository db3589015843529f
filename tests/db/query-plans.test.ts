import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { groupExecutions, sumFilteredExecutions } from "@/db/queries/execution-figures";
import { listMailRows } from "@/db/queries/mail";
import { listSecondModelFigures } from "@/db/queries/models";
import {
  listNewestPaymentDeliveries,
  listPaymentDeliveries,
  listPaymentDeliveryPayloads,
} from "@/db/queries/payment-deliveries";
import { listSlotSignals } from "@/db/queries/signals";
import { listSlotStates } from "@/db/queries/slots";
import { listSubscribers } from "@/db/queries/subscribers";
import { PAYMENT_ADAPTERS } from "@/lib/vocabulary";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { explainTableScans, rowsRead } from "@/tests/support/query-plan";

useDatabase();

const ROWS_PER_SLOT = 2_500;
let sql: postgres.Sql;

beforeAll(async () => {
  sql = connectDirectly(1);
  await sql.unsafe(`
    insert into slots (id, symbol, timeframe) overriding system value
      values (1, 'EURUSD', 'H1'), (2, 'EURUSD', 'H4'), (3, 'GBPUSD', 'H1'), (4, 'BTCUSD', 'H1');
    insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
      select row_number() over (), s, t, t + interval '1 hour', 'm', 'NO_TRADE', .5, .25, .25, .5, 'R', 1
        from generate_series(1, ${ROWS_PER_SLOT}) n, generate_series(1, 4) s, lateral (select timestamptz '2026-01-01' + n * interval '1 hour' as t) x;
    insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, backfilled, beside)
      select ${4 * ROWS_PER_SLOT} + n, 3, t, t + interval '1 hour', 'second', 'NO_TRADE', .5, .25, .25, .5, 'R', 1, true, true
        from generate_series(1, 20) n, lateral (select timestamptz '2026-03-01' + n * interval '1 hour' as t) x;
    insert into candles select s, timestamptz '2026-01-01' + n * interval '1 hour', 1, 2, 1, 1.5, 0
      from generate_series(1, ${ROWS_PER_SLOT}) n, generate_series(1, 4) s;
    insert into subscriptions (id, user_name) overriding system value values (901, 'Long');
    insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, pnl)
      select 901, n, 'EURUSD', 'EURUSD', 'H1', 'BUY', timestamptz '2026-01-01' + n * interval '40 minutes',
             case when n % 2000 > 0 then timestamptz '2026-01-01' + n * interval '41 minutes' end, 1
        from generate_series(1, 10000) n;
    insert into subscriptions (id, user_name) overriding system value select 1000 + n, 'Person ' || n from generate_series(1, 5000) n;
    insert into api_keys (subscription_id, key_hash, hint, plan_tier) select 1000 + n, md5(n::text) || n, 'hint', 'pro' from generate_series(1, 5000) n;
    insert into invoices (invoice_id, state, subscription_id) select 'invoice ' || n, 'paid', 1000 + n from generate_series(1, 5000) n;
    insert into payment_deliveries (body_digest, invoice_id, payload_encrypted, action, answer, received_at)
      select 'digest ' || n, 'invoice ' || n, '', 'none', '{}', timestamptz '2026-01-01' + n * interval '1 minute' from generate_series(1, 5000) n;
    insert into payment_deliveries (adapter, body_digest, payload_encrypted, action, answer, flags, received_at)
      select 'stripe', 'flagged ' || n, '', 'none', '{}', '{unmapped_product}', now() - n * interval '1 minute' from generate_series(1, 500) n;
    insert into payment_deliveries (adapter, body_digest, payload_encrypted, action, answer, flags)
      values ('stripe', 'charge', '', 'none', '{}', '{part_of_a_period}');
    insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props, status, created_at)
      select 'mail ' || n, 'access-suspended', 1000 + n, '', '{}', 'sent', timestamptz '2026-01-01' + n * interval '1 minute' from generate_series(1, 5000) n;
    analyze;`);
});
afterAll(() => sql.end());

describe("at ten thousand rows", () => {
  it.each([
    [
      "a subscriber's open positions",
      () => sumFilteredExecutions(db(), { subscriptionId: 901, state: "open" }),
    ],
    [
      "a subscriber's lately closed positions",
      () =>
        groupExecutions(db(), { subscriptionId: 901, closedFrom: new Date("2026-10-10T00:00:00Z") }, "day", {
          zone: "UTC",
          addMinutes: 0,
        }),
    ],
  ])(
    "%s are read from fewer than 1,000 of 10,000 rows, none of which a filter removes",
    async (_what, run) => {
      for (const scan of await explainTableScans(sql, "executions", run)) {
        expect(scan["Rows Removed by Filter"] ?? 0).toBe(0);
        expect(scan["Actual Rows"] * scan["Actual Loops"]).toBeLessThan(1_000);
      }
    },
  );

  it("a slot's history is read from one index range no longer than the answer", async () => {
    const scans = await explainTableScans(sql, "signals", () =>
      listSlotSignals(db(), { symbol: "EURUSD", timeframe: "H1", limit: 50 }),
    );
    for (const scan of scans) {
      expect(scan).toMatchObject({ "Node Type": "Index Scan", "Index Name": "signals_slot_ts_model" });
      expect(scan["Actual Rows"] * scan["Actual Loops"]).toBeLessThanOrEqual(51);
    }
  });

  it.each([
    ["without a second model", 1, 0],
    ["with a second model", 3, 20],
  ])(
    "the figures of the second model of a slot %s are read without the signals of the first",
    async (_what, slotId, n) => {
      const scans = await explainTableScans(sql, "signals", () =>
        listSecondModelFigures(db(), { slotId, since: new Date("2026-01-01T00:00:00Z") }),
      );
      expect(rowsRead(scans)).toBe(n);
      for (const scan of scans) expect(scan["Rows Removed by Filter"] ?? 0).toBe(0);
    },
  );

  it("the newest candle of every slot is read with one index descent per slot", async () => {
    const scans = await explainTableScans(sql, "candles", () => listSlotStates(db()));
    for (const scan of scans) {
      expect(scan["Node Type"]).toMatch(/^Index (Only )?Scan$/);
      expect(scan).toMatchObject({ "Actual Rows": 1, "Actual Loops": 4 });
    }
  });

  it("a payment reads none of the deliveries that need review, except charges within a period", async () => {
    const scans = await explainTableScans(sql, "payment_deliveries", () =>
      listPaymentDeliveryPayloads(db(), {
        adapter: "stripe",
        invoiceIds: ["stripe:in_1"],
        isTest: false,
        subscriptionId: "sub_1",
      }),
    );
    expect(rowsRead(scans)).toBe(1);
  });

  it.each([
    [
      "payment_deliveries",
      "the newest deliveries of each platform",
      () => listNewestPaymentDeliveries(db(), PAYMENT_ADAPTERS, 3),
    ],
    ["mail_outbox", "a page of mails", () => listMailRows(db(), { limit: 50, offset: 0 })],
    [
      "api_keys",
      "a page of subscribers",
      () => listSubscribers(db(), { filter: {}, order: "newest", limit: 50, offset: 0 }),
    ],
    [
      "api_keys",
      "the last page of subscribers",
      () => listSubscribers(db(), { filter: {}, order: "newest", limit: 50, offset: 4_950 }),
    ],
    [
      "invoices",
      "the last page of payments",
      () => listPaymentDeliveries(db(), { limit: 50, offset: 4_950 }),
    ],
  ])("of the table %s, %s reads only the rows that it shows", async (table, _what, run) => {
    for (const scan of await explainTableScans(sql, table, run)) {
      expect(scan["Rows Removed by Filter"] ?? 0).toBe(0);
      expect(scan["Actual Rows"] * scan["Actual Loops"]).toBeLessThanOrEqual(50);
    }
  });
});
