import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { effectiveScope, narrowScope, OWNER_GRANT } from "@/lib/access/plans";
import { uniformSource } from "@/lib/engine/random";
import { groupBy } from "@/lib/runtime/group-by";
import { listPredictions } from "@/lib/signals/predictions";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { readPerformance } from "@/lib/signals/quality/performance";
import { writeSumsOfDirtyDays } from "@/lib/signals/quality/write-sums-of-dirty-days";
import { addDays, DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import {
  type ReferenceSignal,
  readEverySignal,
  referenceCalibration,
  referencePredictions,
  referenceRecord,
} from "@/tests/support/reference-quality";

useDatabase();

const HORIZON = 12;
const NOW = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + 9 * HOUR_MS + 17_000);
const scope = effectiveScope(OWNER_GRANT);
let sql: postgres.Sql;

/** Slots with the length of their candles and the number of candles to go back. */
const SLOTS = [
  { id: 1, symbol: "EURUSD", timeframe: "M15", stepMs: 15 * MINUTE_MS, candles: 1_500 },
  { id: 2, symbol: "EURUSD", timeframe: "H1", stepMs: HOUR_MS, candles: 2_600 },
  { id: 3, symbol: "GBPUSD", timeframe: "H4", stepMs: 4 * HOUR_MS, candles: 900 },
  { id: 4, symbol: "GBPUSD", timeframe: "D1", stepMs: DAY_MS, candles: 380 },
  { id: 5, symbol: "XAUUSD", timeframe: "W1", stepMs: 7 * DAY_MS, candles: 60 },
] as const;

interface Drawn {
  slotId: number;
  ts: number;
  closesAt: number;
  modelV: string;
  signal: string;
  probs: [number, number, number];
  regime: string;
  backfilled: boolean;
  outcome: null | { label: string; buyR: number; sellR: number; endedAt: number };
}

/** Signals of all slots, with gaps, changing models, a shadow model and some made afterwards. */
function draw(seed: number): Drawn[] {
  const random = uniformSource(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  return SLOTS.flatMap(({ id, stepMs, candles }) => {
    const last = Math.floor(NOW.getTime() / stepMs) * stepMs - stepMs;
    return Array.from({ length: candles }, (_, back) => last - back * stepMs)
      .filter(() => random() > 0.1)
      .flatMap((ts, i) => {
        const models = [
          `${id}-${Math.floor(i / (candles / 3))}`,
          ...(random() < 0.2 ? [`${id}-shadow`] : []),
        ];
        return models.map((modelV): Drawn => {
          // Some decimals are on the edges of bins.
          const no = random() < 0.2 ? pick([0.2, 0.35, 0.5, 0.6, 0.7]) : 0.2 + 0.5 * random();
          const buy = (1 - no) * random();
          const closesAt = ts + stepMs;
          const settled = closesAt + HORIZON * stepMs <= NOW.getTime();
          const label = random() < 0.4 ? "NO_TRADE" : random() < 0.5 ? "BUY" : "SELL";
          const r = () => pick([-1.05, 1.45, 0, random() - 0.5]);
          const candlesUntilEnd = 1 + Math.floor(HORIZON * random());
          return {
            slotId: id,
            ts,
            closesAt,
            modelV,
            signal: pick(["BUY", "SELL", "NO_TRADE"]),
            probs: [buy, 1 - no - buy, no],
            regime: pick(["RANGE", "TREND_UP", "VOLATILE"]),
            backfilled: random() < 0.05,
            outcome: settled
              ? { label, buyR: r(), sellR: r(), endedAt: closesAt + candlesUntilEnd * stepMs }
              : null,
          };
        });
      });
  });
}

let seq = 0;
/** Stores signals, then their outcomes, in separate statements as the service does. */
async function store(drawn: Drawn[]): Promise<void> {
  for (let from = 0; from < drawn.length; from += 2_000) {
    const rows = drawn.slice(from, from + 2_000);
    const stored = await sql`
      insert into signals ${sql(
        rows.map((row) => ({
          seq: ++seq,
          slot_id: row.slotId,
          ts: new Date(row.ts),
          closes_at: new Date(row.closesAt),
          model_v: row.modelV,
          signal: row.signal,
          confidence: Math.max(...row.probs),
          prob_buy: row.probs[0],
          prob_sell: row.probs[1],
          prob_no: row.probs[2],
          regime: row.regime,
          expected_rr: 1.5,
          backfilled: row.backfilled,
        })),
      )} returning id`;
    const outcomes = rows.flatMap((row, i) =>
      row.outcome
        ? [
            {
              signal_id: stored[i]!.id,
              slot_id: row.slotId,
              model_v: row.modelV,
              closes_at: new Date(row.closesAt),
              signal: row.signal,
              rule_version: "1",
              entry_price: 1,
              barrier_distance: 1,
              label: row.outcome.label,
              buy_r: row.outcome.buyR,
              sell_r: row.outcome.sellR,
              result_r:
                row.signal === "NO_TRADE"
                  ? null
                  : row.signal === "BUY"
                    ? row.outcome.buyR
                    : row.outcome.sellR,
              ended_at: new Date(row.outcome.endedAt),
            },
          ]
        : [],
    );
    if (outcomes.length > 0) await sql`insert into outcomes ${sql(outcomes)}`;
  }
}

/** Lets the quiet time of dirty days pass, and sums them up. */
async function sumUp(): Promise<void> {
  await sql`update dirty_days set touched_at = 'epoch'`;
  await writeSumsOfDirtyDays(workerDb());
}

const keyOf = ({ slotId, modelV }: ReferenceSignal) => {
  const slot = SLOTS.find(({ id }) => id === slotId);
  return `${slot?.symbol}/${slot?.timeframe}/${modelV}`;
};

/** Compares the three reports with the direct ones over many windows. Returns the number of rows. */
async function compare(): Promise<number> {
  const every = await readEverySignal(sql);
  let compared = 0;
  const windows = [1, 2, 7, 30, 31, 45, 90, 200, 365].map((days, i) => ({
    days,
    now: new Date(NOW.getTime() + [0, HOUR_MS, 15 * HOUR_MS - 17_000][i % 3]!),
  }));
  for (const { days, now } of windows) {
    const since = addDays(now, -days);
    const inside = every.filter(({ closesAt }) => closesAt > since);
    const groups = groupBy(inside, keyOf);
    const nBins = 5 + (days % 16);

    const { value: performance } = await readPerformance(scope, { days }, now);
    expect(performance.items).toHaveLength(groups.size);
    for (const { symbol, tf_code, model_v, ...record } of performance.items)
      expect(record).toEqual(referenceRecord(groups.get(`${symbol}/${tf_code}/${model_v}`) ?? []));

    const { value: calibration } = await readCalibration(scope, { days, bins: nBins }, now);
    const judged = [...groups].filter(([, signals]) => signals.some(({ outcome }) => outcome !== null));
    expect(calibration.models).toHaveLength(judged.length);
    for (const { symbol, tf_code, model_v, ...row } of calibration.models)
      expect(row).toEqual(referenceCalibration(groups.get(`${symbol}/${tf_code}/${model_v}`) ?? [], nBins));

    const predictions = await listPredictions(scope, { days, limit: 100_000 }, now);
    const byDay = groupBy(inside, (signal) => `${keyOf(signal)}/${signal.ts.toISOString().slice(0, 10)}`);
    expect(predictions.value.items).toHaveLength(byDay.size);
    expect(predictions.validUntil?.getTime()).toBe(
      addDays(new Date(Math.min(...inside.map(({ closesAt }) => closesAt.getTime()))), days).getTime(),
    );
    for (const { symbol, tf_code, model_v, date, ...row } of predictions.value.items)
      expect(row).toEqual(referencePredictions(byDay.get(`${symbol}/${tf_code}/${model_v}/${date}`) ?? []));
    compared += groups.size + judged.length + byDay.size;
  }
  return compared;
}

beforeAll(async () => {
  sql = connectDirectly();
  for (const { id, symbol, timeframe } of SLOTS)
    await sql`insert into slots (id, symbol, timeframe) overriding system value values (${id}, ${symbol}, ${timeframe})`;
  // Some models have the class frequencies of their sample, some do not, and most are not registered.
  for (const [slotId, modelV, classFreq] of [
    [1, "1-0", [0.3, 0.3, 0.4]],
    [1, "1-1", null],
    [2, "2-0", [0.25, 0.35, 0.4]],
    [3, "3-1", null],
    [4, "4-0", [0.3, 0.3, 0.4]],
  ] as const)
    await sql`insert into models (slot_id, model_v, is_active, trained_at, class_freq)
      values (${slotId}, ${modelV}, false, now(), ${classFreq as number[] | null})`;
});
afterAll(() => sql.end());

describe("performance, calibration and predictions from daily sums", () => {
  const drawn = draw(4);
  const late = drawn.filter((_, i) => i % 40 === 7);
  const early = drawn.filter((_, i) => i % 40 !== 7);

  it("performance, calibration and predictions equal a sum over every row before any daily sum exists", async () => {
    await store(early);
    const [open] = await sql`select count(*)::int as n from dirty_days`;
    expect(open?.n).toBeGreaterThan(500);
    expect(await compare()).toBeGreaterThan(1_000);
  }, 120_000);

  it("performance, calibration and predictions equal a sum over every row when only some days have daily sums", async () => {
    await sql`update dirty_days set touched_at = 'epoch' where extract(doy from day)::int % 3 > 0`;
    expect(await writeSumsOfDirtyDays(workerDb())).toBeGreaterThan(300);
    expect(await compare()).toBeGreaterThan(1_000);
  }, 120_000);

  it("performance, calibration and predictions equal a sum over every row when all past days have daily sums", async () => {
    await sumUp();
    const [left] =
      await sql`select count(*)::int as n from dirty_days where kind <> 'month' and day < current_date`;
    expect(left?.n).toBe(0);
    const [months] = await sql`select count(*)::int as n from forecast_days where span = 'month'`;
    expect(months?.n).toBeGreaterThan(20);
    expect(await compare()).toBeGreaterThan(1_000);
  }, 120_000);

  it("performance, calibration and predictions equal a sum over every row after late rows for summed days", async () => {
    await store(late);
    expect(await compare()).toBeGreaterThan(1_000);
    await sumUp();
    expect(await compare()).toBeGreaterThan(1_000);
  }, 120_000);

  it("performance, calibration and predictions equal a sum over every row after recomputing every daily sum", async () => {
    await sql`select mark_every_day_dirty()`;
    await sumUp();
    expect(await compare()).toBeGreaterThan(1_000);
  }, 120_000);

  it("performance and calibration read from daily sums contain only slots in scope", async () => {
    const narrow = narrowScope(scope, { symbol: "GBPUSD", timeframe: undefined });
    const { value } = await readPerformance(narrow, { days: 365 }, NOW);
    expect(new Set(value.items.map(({ symbol }) => symbol))).toEqual(new Set(["GBPUSD"]));
    const calibration = await readCalibration(narrow, { days: 365, bins: 10 }, NOW);
    expect(new Set(calibration.value.models.map(({ symbol }) => symbol))).toEqual(new Set(["GBPUSD"]));
  });
});

describe("a day being summed up", () => {
  it("a day with a write committed during its summing is summed up again at the next run", async () => {
    const row = draw(5).find(({ slotId, ts }) => slotId === 2 && ts < NOW.getTime() - 30 * DAY_MS)!;
    await sumUp();
    const day = new Date(row.ts).toISOString().slice(0, 10);
    const isOpen = async () =>
      (await sql`select 1 from dirty_days where kind = 'signals' and slot_id = 2 and day = ${day}`).length ===
      1;
    expect(await isOpen()).toBe(false);
    const writer = connectDirectly(1);
    await writer`begin`;
    await writer`insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
      values (${++seq}, 2, ${new Date(row.ts)}, ${new Date(row.closesAt)}, 'late', 'BUY', 0.5, 0.5, 0.3, 0.2, 'RANGE', 1.5)`;
    await sumUp();
    await writer`commit`;
    expect(await isOpen()).toBe(true);
    await sumUp();
    const [stored] =
      await sql`select n from signal_days where slot_id = 2 and day = ${day} and model_v = 'late'`;
    expect(stored?.n).toBe(1);
    await writer.end();
  });
});
