import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { readRecord } from "@/lib/signals/record/read-record";
import { type PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";
import { useDatabase } from "@/tests/support/database";
import { enterCommitmentsInTime, resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";
import { useVerifier } from "@/tests/support/verifier";

useDatabase({ MARKET_FEED: "off", PUBLIC_CANDLES: "on", BASE_URL: "https://coverage.example.test" });

const verifier = useVerifier();
const sql = () => db().$client;
const coverage = async () => (await readRecord(RecordQuery.parse({ symbol: "EURUSD" }))).coverage;

interface Candle {
  slot_id: number;
  ts: Date;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}
let gap: Candle[];
const fillGap = (candles: Candle[]) =>
  upsertCandles(
    db(),
    candles.map(({ slot_id, ts, ...prices }) => ({ slotId: slot_id, ts: new Date(ts), ...prices })),
  );

beforeAll(async () => {
  await storeMarket({ symbol: "EURUSD", nCandles: 600, nSignals: 300, seed: 81 });
  // Simulates a sender that omits every fourth signal, and a feed that missed six candles a week ago.
  await sql()`delete from open_outcomes where signal_id % 4 = 0`;
  await sql()`delete from latest_signals`;
  await sql()`delete from signals where id % 4 = 0`;
  gap = await sql()<Candle[]>`
    delete from candles where ts in (
      select ts from candles where ts < now() - interval '7 days' and ts not in (select ts from signals)
       order by ts desc limit 6) returning *`;
  await enterCommitmentsInTime();
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
});

/** Verifies with a changed coverage in the record's answer. */
const claimed = (change: (said: PublicRecord["coverage"]) => object) =>
  verifier.verifyWith((path, text) => {
    if (!path.endsWith("/api/public/record")) return text;
    const record = JSON.parse(text);
    for (const one of [record, ...record.items]) Object.assign(one.coverage, change(one.coverage));
    return JSON.stringify(record);
  });

describe("coverage in the verifier", () => {
  it("the verifier compares an honest coverage with the ledger and the candles, and finds nothing wrong", async () => {
    const { n_candles, n_in_time, pct } = await coverage();
    expect(n_candles).toBeGreaterThan(280);
    expect(n_in_time).toBeLessThan(0.77 * n_candles);
    expect(pct).toBeCloseTo((100 * n_in_time) / n_candles, 5);
    const { code, text } = await verifier.verify();
    expect(text).toContain("Coverage: compared with the candles on 1 of 1 slots");
    expect(text).not.toContain("WRONG");
    expect(code).toBe(0);
  });

  it.each([
    [
      "leaves candles out",
      (said) => ({ n_candles: said.n_in_time, pct: 100 }),
      /counts \d+ candles, and \d+ are/,
    ],
    [
      "counts signals that are not in the ledger",
      (said) => ({ n_in_time: said.n_candles, pct: 100 }),
      /counts \d+ candles with a signal in time, and the ledger has \d+ and \d+ that are sealed/,
    ],
    ["begins later than the first signal", () => ({ since: new Date().toISOString() }), /begins at/],
    [
      "counts slow signals that are not in the ledger",
      ({ n_slow }) => ({ n_slow: n_slow + 1_000 }),
      /counts \d+ candles whose signal was sealed slowly/,
    ],
    ["rounds its percentage up", () => ({ pct: 100 }), /does not add up/],
  ] satisfies [string, (said: PublicRecord["coverage"]) => object, RegExp][])(
    "the verifier reports a coverage that %s",
    async (_how, change, words) => {
      const { code, text } = await claimed(change);
      expect(text).toMatch(/WRONG coverage of EURUSD\/H1/);
      expect(text).toMatch(words);
      expect(code).toBe(1);
    },
  );

  it("coverage is counted again when a gap in counted days is filled with candles, and not after a correction", async () => {
    // All days are counted.
    await sql()`update record_slots set counted_on = current_date - 20`;
    await enterIntoLedger(workerDb());
    const before = await coverage();
    await fillGap(gap.slice(0, 3));
    await enterIntoLedger(workerDb());
    const after = await coverage();
    expect(after.n_candles).toBe(before.n_candles + 3);
    expect(after.n_in_time).toBe(before.n_in_time);
    // A correction is not a new candle, so it must leave the date of the count as it is.
    await sql()`update record_slots set counted_on = current_date`;
    await upsertCandles(
      db(),
      gap
        .slice(0, 3)
        .map(({ slot_id, ts, ...prices }) => ({ slotId: slot_id, ts: new Date(ts), ...prices, volume: 7 })),
    );
    const [counted] = await sql()`select counted_on = current_date as is_today from record_slots`;
    expect(counted?.is_today).toBe(true);
  });

  it("candles that fill a gap while the verifier runs are not reported as wrong", async () => {
    await publishCheckpoint(workerDb());
    let isFilled = false;
    const { code, text } = await verifier.verifyWith(async (path, text) => {
      if (!path.startsWith("/api/public/signals") || isFilled) return text;
      isFilled = true;
      await fillGap(gap.slice(3));
      await enterIntoLedger(workerDb());
      await publishCheckpoint(workerDb());
      return text;
    });
    expect(isFilled).toBe(true);
    expect(text).not.toContain("WRONG");
    expect(code).toBe(0);
  });
});
