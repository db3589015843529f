import { expect, it, vi } from "vitest";
import { db } from "@/db/client";
import { isDemoHistoryGrowing } from "@/lib/health/is-demo-history-growing";
import { useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "demo" });

it("the history of a demo grows until its slots have fresh signals and the record has the ledger's entries", async () => {
  expect(await isDemoHistoryGrowing()).toBe(true);

  const sql = db().$client;
  await sql`insert into symbols (symbol, calendar, digits) values ('BTCUSD', 'crypto', 2) on conflict do nothing`;
  await sql`insert into slots (id, symbol, timeframe) overriding system value values (1, 'BTCUSD', 'H1')`;
  await sql`insert into models (slot_id, model_v, is_active, trained_at) values (1, 'm', true, now())`;
  await sql`
    insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
    select 1, 1, ts, ts + interval '1 hour', 'm', 'BUY', 0.6, 0.6, 0.2, 0.2, 'RANGE', 2
      from (select date_trunc('hour', now()) - interval '1 hour' as ts) newest`;
  await sql`
    insert into latest_signals (slot_id, signal_id, ts, created_at)
    select slot_id, id, ts, created_at from signals`;
  const becomes = (expected: boolean) =>
    vi.waitFor(async () => expect(await isDemoHistoryGrowing()).toBe(expected), {
      timeout: 10_000,
      interval: 200,
    });
  await becomes(false);

  await sql`update ledger_state set size = folded + 1000`;
  await becomes(true);
});
