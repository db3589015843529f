import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { countDirectionsBySymbol } from "@/db/queries/signal-days";
import { effectiveScope, OWNER_GRANT } from "@/lib/access/plans";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { listPredictions } from "@/lib/signals/predictions";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { readPerformance } from "@/lib/signals/quality/performance";
import { withUnsummedSignals } from "@/lib/signals/quality/read-sums";
import { writeSumsOfDirtyDays } from "@/lib/signals/quality/write-sums-of-dirty-days";
import { readRecordCalibration } from "@/lib/signals/record/read-calibration";
import { readRecordModels } from "@/lib/signals/record/read-models";
import { readRecord } from "@/lib/signals/record/read-record";
import { readNewestTrades } from "@/lib/signals/record/read-trades";
import { addDays, HOUR_MS } from "@/lib/time";
import type { RecordQuery } from "@/lib/wire/contracts/record";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { enterCommitmentsInTime, resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

useDatabase({ MARKET_FEED: "off" });

/**
 * One market of three slots, the same on whatever day the tests run: BTCUSD H1 all in time, with two models; ETHUSD H4 in time up to
 * a day and late afterwards; LTCUSD D1 all late. A few signals are backfilled.
 */

const NOW_MS = Date.parse("2025-10-01T09:17:00Z");
const ALL_DAYS = 365;
const scope = effectiveScope(OWNER_GRANT);
let sql: postgres.Sql;

beforeAll(async () => {
  sql = connectDirectly();
  const hourly = { symbol: "BTCUSD", timeframe: "H1", seed: 41 } as const;
  const fourHourly = { symbol: "ETHUSD", timeframe: "H4", seed: 42, modelV: "e1" } as const;
  await storeMarket({ ...hourly, nCandles: 1_400, nSignals: 800, nowMs: NOW_MS - 600 * HOUR_MS });
  await storeMarket({ ...fourHourly, nCandles: 900, nSignals: 300, nowMs: NOW_MS - 250 * 4 * HOUR_MS });
  await enterCommitmentsInTime();
  await storeMarket({ ...hourly, nCandles: 2_000, nSignals: 600, modelV: "m2", nowMs: NOW_MS });
  await enterCommitmentsInTime();
  await storeMarket({ ...fourHourly, nCandles: 1_150, nSignals: 250, nowMs: NOW_MS });
  await storeMarket({
    symbol: "LTCUSD",
    timeframe: "D1",
    nCandles: 500,
    nSignals: 200,
    seed: 43,
    modelV: "l1",
    nowMs: NOW_MS,
  });
  // Triggers make signals immutable.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update signals set backfilled = true where model_v in ('e1', 'l1') and id % 29 = 3
              and not exists (select 1 from ledger_signals l where l.signal_id = id)`;
  });
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
});
afterAll(() => sql.end());

const question = (named: Partial<RecordQuery> = {}): RecordQuery => ({
  symbol: undefined,
  tf_code: undefined,
  model_v: undefined,
  from: undefined,
  to: undefined,
  ...named,
});

const performanceOf = async (days: number) =>
  (await readPerformance(scope, { days }, new Date(NOW_MS))).value;

/** Every figure of the statistics and of the public record, without the ledger size and values that depend on today. */
async function everyFigure(): Promise<Record<string, unknown>> {
  const now = new Date(NOW_MS);
  const figures: Record<string, unknown> = {};
  for (const days of [7, 30, 90, ALL_DAYS]) {
    figures[`performance ${days}`] = await performanceOf(days);
    for (const bins of [5, 10, 17])
      figures[`calibration ${days} ${bins}`] = (await readCalibration(scope, { days, bins }, now)).value;
    const predictions = (await listPredictions(scope, { days, limit: 10_000 }, now)).value;
    figures[`predictions ${days}`] = { count: predictions.count, newest: predictions.items.slice(0, 8) };
  }
  for (const expand of ["slots", "ranges"] as const)
    figures[`calibration ${expand}`] = (
      await readCalibration(scope, { days: 90, bins: 10, expand }, now)
    ).value;
  const month = { scope, since: addDays(now, -30) };
  const directions = await db().transaction(async (tx) =>
    countDirectionsBySymbol(tx, await withUnsummedSignals(tx, month)),
  );
  figures.directions = directions.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1));
  const questions: Record<string, Partial<RecordQuery>> = {
    all: {},
    slot: { symbol: "BTCUSD", tf_code: "H1" },
    model: { symbol: "BTCUSD", model_v: "m2" },
    month: { from: "2025-08-01", to: "2025-08-31" },
    partly: { symbol: "ETHUSD" },
    later: { symbol: "LTCUSD" },
  };
  for (const [name, query] of Object.entries(questions)) {
    const { coverage: _, ledger_size: _1, items, curve, ...record } = await readRecord(question(query));
    figures[`record ${name}`] = {
      ...record,
      items: items.map(({ coverage: _2, ...item }) => item),
      curve: { n: curve.length, last: curve.slice(-5) },
    };
    const { ledger_size: _3, ...calibration } = await readRecordCalibration(question(query));
    figures[`record calibration ${name}`] = calibration;
  }
  const { items } = await readRecordModels(question());
  figures.models = items.map(({ symbol, tf_code, model_v, result }) => ({
    symbol,
    tf_code,
    model_v,
    result,
  }));
  const trades = await readNewestTrades(question());
  figures.trades = {
    n: trades.length,
    newest: trades.slice(0, 5).map(({ ts, symbol, endedAt, resultR }) => ({ ts, symbol, endedAt, resultR })),
  };
  return figures;
}

const written = async () => `${JSON.stringify(await everyFigure(), null, 1)}\n`;

describe("every figure of a fixed market", () => {
  it("every figure equals its stored value to the last digit, before and after daily sums exist", async () => {
    const before = await written();
    await expect(before).toMatchFileSnapshot("../../vectors/figures.json");
    await sql`update dirty_days set touched_at = 'epoch'`;
    expect(await writeSumsOfDirtyDays(workerDb())).toBeGreaterThan(100);
    expect(await written()).toBe(before);
  });
});

describe("the statistics and the record", () => {
  it("statistics and record agree when all signals were committed in time", async () => {
    const { items } = await performanceOf(ALL_DAYS);
    for (const model of ["m1", "m2"]) {
      const statistics = items.find(({ model_v }) => model_v === model)!;
      const { total } = await readRecord(question({ symbol: "BTCUSD", model_v: model }));
      const { n, n_wins, n_losses, total_r, win_rate_pct, profit_factor } = total.model;
      expect(n).toBeGreaterThan(200);
      expect({ n, n_wins, n_losses }).toEqual({
        n: statistics.n_resolved,
        n_wins: statistics.n_wins,
        n_losses: statistics.n_losses,
      });
      expect(win_rate_pct).toBe(statistics.win_rate_pct);
      // The record sums results of six decimals, the statistics results as stored.
      expect(Math.abs(total_r - statistics.total_r)).toBeLessThanOrEqual(n * 5e-7);
      expect(profit_factor).toBeCloseTo(statistics.profit_factor!, 4);
    }
  });

  it("statistics and record differ by exactly the late entries", async () => {
    const { items } = await performanceOf(ALL_DAYS);
    for (const symbol of ["ETHUSD", "LTCUSD"]) {
      const statistics = items.find((item) => item.symbol === symbol)!;
      const { total, entered_later } = await readRecord(question({ symbol }));
      const counted = total.model;
      expect(entered_later?.n_followed).toBeGreaterThan(50);
      expect(counted.n + entered_later!.n_followed).toBe(statistics.n_resolved);
      expect(counted.n_wins + entered_later!.n_wins).toBe(statistics.n_wins);
      expect(counted.n_losses + entered_later!.n_losses).toBe(statistics.n_losses);
      expect(counted.total_r + entered_later!.total_r).toBeCloseTo(statistics.total_r, 3);
    }
  });

  it("statistics and record give the same forecasts the same scores", async () => {
    const { value } = await readCalibration(scope, { days: ALL_DAYS, bins: 10 }, new Date(NOW_MS));
    for (const model of ["m1", "m2"]) {
      const statistics = value.models.find(({ model_v }) => model_v === model)!;
      const { total } = await readRecordCalibration(question({ symbol: "BTCUSD", model_v: model }));
      const { n, brier, accuracy, avg_confidence, ece } = total.model;
      expect(n).toBe(statistics.n);
      expect(accuracy).toBe(statistics.accuracy);
      expect(brier).toBeCloseTo(statistics.brier!, 5);
      expect(avg_confidence).toBeCloseTo(statistics.avg_confidence!, 5);
      expect(ece).toBeCloseTo(statistics.ece!, 5);
    }
  });
});
