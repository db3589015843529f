import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { listCalibrations } from "@/db/queries/online-calibrations";
import { ensureSlots, listSignalProductionStates } from "@/db/queries/slots";
import { listTrainingStates } from "@/db/queries/trainings";
import { calibratedMoveProbability, UNCALIBRATED_STATE } from "@/lib/engine/calibration/online";
import { findTrainedModel } from "@/lib/models/producer/find-trained-model";
import { recordModelSignals } from "@/lib/models/producer/record-model-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { SMALL_WALK_FORWARD } from "@/tests/lib/engine/small-settings";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const N = 9000;
/** Eight days of candles after the training sample. */
const NEW = 192;
const HOUR_MS = 3_600_000;
const walk = randomWalk({ n: N, seed: 77 });
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - N * HOUR_MS;
const openAt = (i: number) => new Date(startMs + i * HOUR_MS);
let slotId = 0;

async function store(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 2000) {
    await upsertCandles(
      workerDb(),
      Array.from({ length: Math.min(2000, to - at) }, (_, k) => ({
        slotId,
        ts: openAt(at + k),
        open: walk.open[at + k]!,
        high: walk.high[at + k]!,
        low: walk.low[at + k]!,
        close: walk.close[at + k]!,
        volume: 1,
      })),
    );
  }
}

/** Makes the signals of the candles after candle `after`, as the worker does. Returns their number. */
async function forecast(after: number): Promise<number> {
  const slot = (await listSignalProductionStates(workerDb())).find((state) => state.slotId === slotId)!;
  const trained = (await findTrainedModel(workerDb(), slotId, slot.modelV))!;
  const range = { after: openAt(after), now: new Date(), isDue: () => true };
  return recordModelSignals(workerDb(), slot, range, trained);
}

interface Made {
  hours: number;
  no: number;
  raw: number;
}
const made = async (): Promise<Made[]> =>
  (
    await workerDb().execute<{ t: string; no: number; raw: number }>(sql`
      select extract(epoch from ts)::text as t, prob_no as no, raw_prob_no as raw from signals where slot_id = ${slotId} order by ts`)
  ).map(({ t, no, raw }) => ({ hours: (Number(t) * 1000 - startMs) / HOUR_MS, no, raw }));

async function forget(): Promise<void> {
  for (const table of ["outcomes", "open_outcomes", "latest_signals", "signals", "online_calibrations"])
    await workerDb().execute(sql.raw(`delete from ${table}`));
}

const days = async () =>
  listCalibrations(workerDb(), {
    slotId,
    modelV: (await listTrainingStates(workerDb(), 4000))[0]!.modelV!,
    day: new Date(0),
  });

beforeAll(async () => {
  const slot = { symbol: "BTCUSD", timeframe: "H1" } as const;
  slotId = (await ensureSlots(workerDb(), [slot], symbolDefaultsOf)).get("BTCUSD/H1") ?? 0;
  await store(0, N - NEW);
  await makeBaselineChampion(workerDb(), [slotId], new Date(startMs));
  const [state] = await listTrainingStates(workerDb(), 4000);
  const { decision } = await trainSlotModel(workerDb(), state!, [state!], {
    settings: { ...SMALL_WALK_FORWARD, recipes: ["logistic"] },
  });
  expect(decision.change).toBe("promoted");
}, 120_000);

describe("daily calibration", () => {
  it("the daily calibration is fitted each day on the slot's own forecasts, used for that day, and unchanged by a second run", async () => {
    await store(N - NEW, N);
    await forecast(N - NEW - 1);
    const signals = await made();
    expect(signals).toHaveLength(NEW);
    const stored = await days();
    expect(stored.length).toBeGreaterThanOrEqual(8);
    expect(stored.every(({ day }) => day.getTime() % 86_400_000 === 0)).toBe(true);
    // First the walk-forward's calibration, then the closed horizons.
    const first = stored[0]!;
    expect(first.n).toBeGreaterThan(2000);
    expect(stored.at(-1)!.n - first.n).toBeGreaterThan(100);
    for (const { day, learntTo } of stored.slice(3))
      expect(learntTo.getTime() + 13 * HOUR_MS).toBeLessThanOrEqual(day.getTime());
    // Every signal is its raw forecast after the calibration of its day.
    for (const { hours, no, raw } of signals) {
      const closesMs = openAt(hours + 1).getTime();
      const ofDay = stored.findLast(({ day }) => day.getTime() <= closesMs)!;
      expect(no).toBeCloseTo(1 - calibratedMoveProbability(ofDay, raw, closesMs), 5);
    }
    expect(stored.some(({ c1, c2, d }) => c1 !== 0 && c2 !== 0 && d !== 0)).toBe(true);
    expect(signals.some(({ no, raw }) => Math.abs(no - raw) > 0.001)).toBe(true);
    expect(await forecast(N - NEW - 1)).toBe(0);
    expect(await days()).toEqual(stored);
  });

  it("the daily calibration gives a candle the same signal in runs every seven hours and in one run after eight days", async () => {
    const [together, calibrations] = [await made(), await days()];
    await forget();
    await workerDb().execute(
      sql`delete from candles where ts >= ${openAt(N - NEW).toISOString()}::timestamptz`,
    );
    for (let i = N - NEW; i < N; i += 7) {
      await store(i, Math.min(N, i + 7));
      await forecast(i - 1);
    }
    // A series with another start has averages that differ in the last bit; signals have six decimals.
    const rounded = (signals: Made[]) =>
      signals.map(({ hours, no, raw }) => ({ hours, no, raw: raw.toFixed(9) }));
    expect(rounded(await made())).toEqual(rounded(together));
    const later = await days();
    expect(later.map(({ day, n, learntTo }) => ({ day, n, learntTo }))).toEqual(
      calibrations.map(({ day, n, learntTo }) => ({ day, n, learntTo })),
    );
    for (const [k, day] of later.entries()) {
      for (const weight of ["a", "b", "c1", "c2", "d"] as const)
        expect(day[weight]).toBeCloseTo(calibrations[k]![weight], 9);
    }
  }, 120_000);

  it("the daily calibration resumes from a stored day that has only the coefficients a and b", async () => {
    await forget();
    await forecast(N - NEW - 1);
    const whole = await days();
    const at = whole.at(-2)!;
    await workerDb().execute(
      sql`delete from online_calibrations where day > ${at.day.toISOString()}::timestamptz`,
    );
    // As stored in the earlier format: the curvature and gradient solved by a and b, with ridge penalties of 100.
    const { a, b } = at;
    const [aa = 0, ab = 0, bb = 0] = at.learnt.curvature;
    const learnt = {
      curvature: [aa, ab, bb],
      pull: [(aa + 100) * a + ab * b, ab * a + (bb + 100) * b - 100],
    };
    await workerDb().execute(sql`
      update online_calibrations set c1 = default, c2 = default, d = default, learnt = ${JSON.stringify(learnt)}::jsonb
       where day = ${at.day.toISOString()}::timestamptz`);
    await workerDb().execute(sql`delete from open_outcomes where ts >= ${at.day.toISOString()}::timestamptz`);
    await workerDb().execute(sql`delete from latest_signals`);
    await workerDb().execute(
      sql`delete from signals where closes_at >= ${new Date(at.day.getTime() + 86_400_000).toISOString()}::timestamptz`,
    );
    const firstOfNext = (at.day.getTime() + 86_400_000 - startMs) / HOUR_MS - 1;
    expect(await forecast(firstOfNext - 1)).toBeGreaterThan(0);
    const again = await days();
    expect(again.at(-1)!.n).toBe(whole.at(-1)!.n);
    expect(again.at(-1)!.learnt.curvature).toHaveLength(15);
    expect(Math.abs(again.at(-1)!.a - a)).toBeLessThan(0.1);
    expect(Math.abs(again.at(-1)!.b - b)).toBeLessThan(0.1);
  });

  it("the daily calibration starts unfitted for a model stored without a calibration", async () => {
    await forget();
    const slot = (await listSignalProductionStates(workerDb())).find((state) => state.slotId === slotId)!;
    const trained = (await findTrainedModel(workerDb(), slotId, slot.modelV))!;
    const range = { after: openAt(N - 31), now: new Date(), isDue: () => true };
    const former = { ...trained, calibration: { ...UNCALIBRATED_STATE } };
    expect(await recordModelSignals(workerDb(), slot, range, former)).toBe(30);
    const [first] = await days();
    expect(first).toMatchObject({ a: 0, b: 1, c1: 0, c2: 0, d: 0, n: 0 });
    for (const { no, raw } of (await made()).slice(0, 5)) expect(no).toBeCloseTo(raw, 5);
  });
});
