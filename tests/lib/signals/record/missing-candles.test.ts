import { beforeAll, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { countMissingCandles } from "@/lib/signals/record/count-missing-candles";
import { readRecord } from "@/lib/signals/record/read-record";
import { addDays, addMs, HOUR_MS } from "@/lib/time";
import { RecordQuery } from "@/lib/wire/contracts/record";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

useDatabase({ MARKET_FEED: "off" });

const sql = () => db().$client;
const missing = async (symbol: string) =>
  (await readRecord(RecordQuery.parse({ symbol }))).coverage.n_missing_candles;
const count = (now: Date) => countMissingCandles(workerDb(), now);

let newest: Date;

beforeAll(async () => {
  const crypto = await storeMarket({ symbol: "BTCUSD", nCandles: 400, nSignals: 300, seed: 5, ahead: true });
  await storeMarket({ symbol: "EURUSD", nCandles: 400, nSignals: 300, seed: 6, ahead: true });
  newest = new Date(crypto.candles.ts.at(-1) ?? 0);
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
});

it("a candle that a seller leaves out is counted in the record once it has been missing for a week", async () => {
  await sql()`
    delete from candles k using slots s
     where s.id = k.slot_id and s.symbol = 'BTCUSD' and ${newest.toISOString()}::timestamptz - k.ts in ('60 hours', '61 hours', '100 hours')`;
  expect(await missing("BTCUSD")).toBe(0);
  await count(addDays(newest, 1));
  expect(await missing("BTCUSD")).toBe(0);
  await count(addMs(addDays(newest, 7), -80 * HOUR_MS));
  expect(await missing("BTCUSD")).toBe(1);
  await count(addDays(newest, 7));
  expect(await missing("BTCUSD")).toBe(3);
});

it("no gap is counted twice, by runs one after the other or at once", async () => {
  await Promise.all([1, 2, 3].map(() => count(addDays(newest, 8))));
  await count(addDays(newest, 9));
  expect(await missing("BTCUSD")).toBe(3);
});

it("hours in which the market is closed are not missing", async () => {
  const saturday = sql()`
    k.ts >= ${addDays(newest, -9).toISOString()}::timestamptz and extract(dow from k.ts at time zone 'UTC') = 6`;
  const [deleted] = await sql()`
    with gone as (
      delete from candles k using slots s where s.id = k.slot_id and s.symbol = 'EURUSD' and ${saturday} returning 1)
    select count(*)::int as n from gone`;
  expect(deleted?.n).toBeGreaterThan(0);
  await sql()`
    update record_slots set missing_counted_to = null, n_missing = 0
     where slot_id = (select id from slots where symbol = 'EURUSD')`;
  await count(addDays(newest, 8));
  expect(await missing("EURUSD")).toBe(0);
});
