import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { type CandleRow, upsertCandles } from "@/db/queries/candles";
import type { SignalRow } from "@/db/queries/signals";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { type CandleSeries, sliceCandles } from "@/lib/market/candles";
import { candleCloseAt, candleOpenMs, timeframeMinutes } from "@/lib/market/timeframes";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { recordSignals } from "@/lib/signals/record-signals";
import { DAY_MS, MINUTE_MS } from "@/lib/time";
import type { Direction, Timeframe } from "@/lib/vocabulary";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { enterCommitmentsInTime } from "@/tests/support/record-market";
import { SIGNAL_DEFAULTS } from "@/tests/support/signal-defaults";

useDatabase();

/** Number of candles before the window, for each signal's ATR, and after it, which have not closed yet. */
const BEFORE = 40;
const HORIZON = 12;

let key = "";
beforeAll(async () => {
  key = (await makeKey({ plan_tier: "pro" })).key;
});

interface Wish {
  symbol: string;
  timeframe: Timeframe;
  days: number;
  seed: number;
  direction: (i: number) => Direction;
}

interface Stored {
  symbol: string;
  /** The whole walk, including future candles. */
  walk: CandleSeries;
  /** Index of the newest closed candle. */
  now: number;
}

/** Stores walks up to now, with a signal per candle of the last `days`; later candles are kept for the comparison. */
async function storeWalks(wishes: Wish[]): Promise<Stored[]> {
  const slotIds = await ensureSlots(db(), wishes, symbolDefaultsOf);
  const candles: CandleRow[] = [];
  const signals: SignalRow[] = [];
  const stored = wishes.map((wish): Stored => {
    const { symbol, timeframe, days, direction } = wish;
    const slotId = slotIds.get(slotKey(wish))!;
    const lengthMs = timeframeMinutes(timeframe) * MINUTE_MS;
    const nWindow = (days * DAY_MS) / lengthMs;
    const now = BEFORE + nWindow - 1;
    const walk = walkOf(wish.seed, now + 1 + HORIZON);
    const newestMs = candleOpenMs(Date.now(), timeframe) - lengthMs;
    walk.ts.forEach((_, i) => {
      walk.ts[i] = newestMs + (i - now) * lengthMs;
    });
    for (let i = 0; i <= now; i++) {
      const ts = new Date(walk.ts[i]!);
      const [open, high, low, close] = [walk.open[i]!, walk.high[i]!, walk.low[i]!, walk.close[i]!];
      candles.push({ slotId, ts, open, high, low, close, volume: 1 });
      if (i < BEFORE) continue;
      signals.push({
        slotId,
        ts,
        closesAt: candleCloseAt(ts, timeframe),
        ...SIGNAL_DEFAULTS,
        modelV: "always",
        signal: direction(i),
        ...{ confidence: 0.6, probBuy: 0.2, probSell: 0.2, probNo: 0.6 },
      });
    }
    return { symbol, walk, now };
  });
  await upsertCandles(workerDb(), candles);
  await workerDb().transaction((tx) => recordSignals(tx, signals));
  await resolveOutcomes(workerDb());
  return stored;
}

/** A walk whose starting hour depends on the seed, so that many walks share no rhythm. */
function walkOf(seed: number, n: number): CandleSeries {
  const start = 100 + (seed % 24);
  return structuredClone(sliceCandles(randomWalk({ n: start + n, seed }), start));
}

/** Number of forecasts and of NO_TRADE outcomes in the calibration of models that always forecast NO_TRADE. */
function shownShare(models: { bins: { n: number; hit_rate: number | null }[] }[]): {
  n: number;
  hits: number;
} {
  const bins = models.flatMap((model) => model.bins);
  return {
    n: bins.reduce((sum, bin) => sum + bin.n, 0),
    hits: Math.round(bins.reduce((sum, bin) => sum + bin.n * (bin.hit_rate ?? 0), 0)),
  };
}

/** Wilder's average true range, implemented independently. */
function atr14(walk: CandleSeries, i: number): number {
  const ranges = Array.from({ length: i + 1 }, (_, k) => {
    const before = k === 0 ? walk.close[0]! : walk.close[k - 1]!;
    return k === 0
      ? walk.high[0]! - walk.low[0]!
      : Math.max(walk.high[k]!, before) - Math.min(walk.low[k]!, before);
  });
  const start = ranges.slice(0, 14).reduce((a, b) => a + b, 0) / 14;
  return ranges.slice(14).reduce((atr, range) => (13 * atr + range) / 14, start);
}

/** Class and both results of a candle from the next twelve, and the candle in which they ended. */
function judge(walk: CandleSeries, i: number) {
  const entry = walk.close[i]!;
  const d = 2 * atr14(walk, i);
  for (let j = i + 1; j <= i + HORIZON; j++) {
    const up = walk.high[j]! >= entry + d;
    const down = walk.low[j]! <= entry - d;
    if (up && down) return { label: 2, buyR: -1, sellR: -1, j };
    if (up) return { label: 0, buyR: 1, sellR: -1, j };
    if (down) return { label: 1, buyR: -1, sellR: 1, j };
  }
  const moved = (walk.close[i + HORIZON]! - entry) / d;
  return { label: 2, buyR: moved, sellR: -moved, j: i + HORIZON };
}

const sumOf = (values: number[]) => values.reduce((a, b) => a + b, 0);
const share = (values: number[], of: (value: number) => boolean) => values.filter(of).length / values.length;
/** Squared error of the constant forecast used here. */
const brierOf = (label: number) =>
  sumOf([0.2, 0.2, 0.6].map((said, k) => (said - (k === label ? 1 : 0)) ** 2));

/** Deepest fall of a running total below its maximum. */
function deepest(results: number[]): number {
  let [total, best, fall] = [0, 0, 0];
  for (const r of results) {
    total += r;
    best = Math.max(best, total);
    fall = Math.max(fall, best - total);
  }
  return fall;
}

describe("track record and calibration of short windows", () => {
  const DIRECTIONS: Direction[] = ["BUY", "SELL", "NO_TRADE", "SELL"];
  const directionOf = (i: number) => DIRECTIONS[i % DIRECTIONS.length]!;

  it.each([
    ["M15", 1],
    ["H1", 4],
    ["H4", 1],
    ["H4", 2],
    ["H4", 3],
    ["H4", 20],
    ["D1", 7],
    ["D1", 12],
    ["D1", 14],
    ["D1", 40],
  ] as const)(
    "record and calibration of %s over %i days count exactly the signals with complete horizons, as recomputed",
    async (timeframe, days) => {
      const symbol = `JUDGE${days}${timeframe}`;
      const [stored] = await storeWalks([
        { symbol, timeframe, days, seed: 77 * days, direction: directionOf },
      ]);
      const { walk, now } = stored!;
      const query = `days=${days}&symbol=${symbol}&tf_code=${timeframe}`;
      const record = (await call("GET", `/api/performance?${query}`, { key })).json.items[0];
      const model = (await call("GET", `/api/calibration?${query}`, { key })).json.models[0];

      const rows = Array.from({ length: now + 1 - BEFORE }, (_, k) => BEFORE + k);
      const complete = rows.filter((i) => i + HORIZON <= now);
      const followed = complete
        .filter((i) => directionOf(i) !== "NO_TRADE")
        .map((i) => ({ ...judge(walk, i), isBuy: directionOf(i) === "BUY" }));
      const results = followed.map(({ buyR, sellR, isBuy }) => (isBuy ? buyR : sellR));
      const inOrderOfEnd = followed
        .toSorted((a, b) => a.j - b.j)
        .map(({ buyR, sellR, isBuy }) => (isBuy ? buyR : sellR));
      const total = sumOf(results);
      const decided = results.filter((r) => r !== 0);
      const baseline = ([pick]: [(one: { buyR: number; sellR: number }) => number]) =>
        share(followed.map(pick), (r) => r > 0);
      expect(record).toMatchObject({
        n_signals: rows.length,
        n_directional: rows.filter((i) => directionOf(i) !== "NO_TRADE").length,
        n_resolved: results.length,
        n_wins: results.filter((r) => r > 0).length,
        n_losses: results.filter((r) => r < 0).length,
      });
      expect(record.total_r).toBeCloseTo(total, 5);
      expect(record.expectancy_r).toBeCloseTo(results.length === 0 ? 0 : total / results.length, 5);
      expect(record.max_drawdown_r).toBeCloseTo(deepest(inOrderOfEnd), 5);
      if (results.length > 0) {
        const [won, lost] = [results.filter((r) => r > 0), results.filter((r) => r < 0)];
        expect(record.win_rate_pct).toBeCloseTo(100 * share(decided, (r) => r > 0), 4);
        expect(record.profit_factor).toBeCloseTo(sumOf(won) / -sumOf(lost), 4);
        expect(record.baseline_win_rate_pct).toBeCloseTo(
          100 * Math.max(baseline([({ buyR }) => buyR]), baseline([({ sellR }) => sellR])),
          4,
        );
      }

      const labels = complete.map((i) => judge(walk, i).label);
      const stayed = share(labels, (label) => label === 2);
      expect(model === undefined ? { n: 0, hits: 0 } : shownShare([model])).toEqual({
        n: complete.length,
        hits: labels.filter((label) => label === 2).length,
      });
      const isEnough = complete.length >= 50;
      if (isEnough) {
        expect(model.accuracy).toBeCloseTo(stayed, 6);
        expect(model.ece).toBeCloseTo(Math.abs(stayed - 0.6), 6);
        expect(model.brier).toBeCloseTo(sumOf(labels.map(brierOf)) / labels.length, 6);
      } else expect(model?.brier ?? null).toBeNull();

      await enterCommitmentsInTime();
      await enterIntoLedger(workerDb());
      const one = `symbol=${symbol}&tf_code=${timeframe}`;
      const shown = (await call("GET", `/api/public/record?${one}`)).json.items[0];
      const quality = (await call("GET", `/api/public/calibration?${one}`)).json.items[0];
      if (complete.length === 0) {
        expect([shown, quality]).toEqual([undefined, undefined]);
        return;
      }
      expect([shown.forecasts.n, shown.forecasts.n_directional]).toEqual([complete.length, results.length]);
      expect(shown.model).toMatchObject({ n: results.length, enough: results.length >= 50 });
      expect(shown.model.total_r).toBeCloseTo(total, 4);
      expect([shown.model.n_wins, shown.model.n_losses]).toEqual([record.n_wins, record.n_losses]);
      expect(quality.model.bins[6]).toMatchObject({ n: complete.length, avg_confidence: 0.6 });
      expect(quality.model.bins[6].hit_rate).toBeCloseTo(stayed, 6);
      if (!isEnough) {
        expect([shown.forecasts.brier, quality.model.ece]).toEqual([null, null]);
        return;
      }
      const brier = sumOf(labels.map(brierOf)) / labels.length;
      expect(shown.forecasts.brier).toBeCloseTo(brier, 6);
      expect(shown.forecasts.skill).toBeCloseTo(1 - brier / shown.forecasts.brier_frequencies!, 4);
      expect(quality.model.ece).toBeCloseTo(Math.abs(stayed - 0.6), 6);
    },
  );
});

/** Number of walks, 200 in `npm run test:machine`. */
const WALKS = process.env.FULL_SIZE === "1" ? 200 : 60;

describe.each([
  ["H4", 7],
  ["D1", 30],
] as const)("class frequencies of %s over %i days", (timeframe, days) => {
  it("the calibration's share of NO_TRADE is unbiased against all signals of the window, on random walks", {
    timeout: 120_000,
  }, async () => {
    const walks = await storeWalks(
      Array.from({ length: WALKS }, (_, i) => ({
        symbol: `WALK${i}`,
        timeframe,
        days,
        seed: 1_000 * days + i,
        direction: () => "NO_TRADE",
      })),
    );
    const { json } = await call("GET", `/api/calibration?days=${days}&tf_code=${timeframe}`, { key });
    const bySymbol = new Map<string, { bins: { n: number; hit_rate: number | null }[] }>(
      json.models.map((model: { symbol: string }) => [model.symbol, model]),
    );
    const complete = (days * DAY_MS) / (timeframeMinutes(timeframe) * MINUTE_MS) - HORIZON;
    const differences: number[] = [];
    for (const { symbol, walk, now } of walks) {
      const shown = shownShare([bySymbol.get(symbol)!]);
      // A candle may close during the test, and the oldest signal then leaves the window.
      expect(Math.abs(shown.n - complete)).toBeLessThanOrEqual(1);
      const labels = Array.from({ length: now + 1 - BEFORE }, (_, k) => judge(walk, BEFORE + k).label);
      const truth = share(labels, (label) => label === 2);
      differences.push(shown.hits / shown.n - truth);
    }
    const mean = differences.reduce((a, b) => a + b, 0) / differences.length;
    const deviation = Math.sqrt(
      differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (differences.length - 1),
    );
    expect(Math.abs(mean)).toBeLessThan((3 * deviation) / Math.sqrt(differences.length));
    expect(deviation).toBeLessThan(0.28);
  });
});
