import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { listChampions } from "@/db/queries/models";
import { writeSetting } from "@/db/queries/settings";
import { ensureSlots } from "@/db/queries/slots";
import { findPromotionReason, listTrainingStates } from "@/db/queries/trainings";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { recordFeatureDrift } from "@/lib/models/record-feature-drift";
import { findSlotDueForTraining, postponeTraining } from "@/lib/models/training/due-slot";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { produceSignalsInThread } from "@/lib/server/worker/produce-signals-in-thread";
import { workerEntryUrl } from "@/lib/server/worker/start-thread";
import { trainDueSlot } from "@/lib/server/worker/train-due-slot";
import { SETTINGS_BY_NAME } from "@/lib/settings/registry";
import { isTrainable, isTrainingDue } from "@/lib/settings/training-plan";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { SMALL_WALK_FORWARD } from "@/tests/lib/engine/small-settings";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { ingest, modelItem, signalItem } from "@/tests/support/market-data";

useDatabase();

const N = 9000;
const walk = randomWalk({ n: N, seed: 77 });
const HOUR_MS = 3_600_000;
const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - N * HOUR_MS;
const never = new AbortController().signal;
let slotId = 0;

/** Stores candles [from, to) of the walk as candles of BTCUSD/H1; candle N - 1 closes at the last full hour. */
async function store(from: number, to: number): Promise<void> {
  const rows = Array.from({ length: to - from }, (_, k) => {
    const i = from + k;
    return {
      slotId,
      ts: new Date(startMs + i * HOUR_MS),
      open: walk.open[i]!,
      high: walk.high[i]!,
      low: walk.low[i]!,
      close: walk.close[i]!,
      volume: walk.volume[i]!,
    };
  });
  for (let i = 0; i < rows.length; i += 2000) await upsertCandles(workerDb(), rows.slice(i, i + 2000));
}

/** Sets the training plan so that a training is always due: no wait for a new slot, and an interval of milliseconds. */
async function makeDue(): Promise<void> {
  await writeSetting(workerDb(), "training", { afterMinutes: 0, everyHours: 1e-6 });
}

async function forgetSignals(): Promise<void> {
  for (const table of ["outcomes", "open_outcomes", "latest_signals", "signals"])
    await workerDb().execute(sql.raw(`delete from ${table}`));
}

async function state() {
  const states = await listTrainingStates(workerDb(), 4000);
  return states.find((slot) => slot.slotId === slotId)!;
}

beforeAll(async () => {
  const slot = { symbol: "BTCUSD", timeframe: "H1" } as const;
  slotId = (await ensureSlots(workerDb(), [slot], symbolDefaultsOf)).get("BTCUSD/H1") ?? 0;
  await store(0, N - 6);
  await makeBaselineChampion(workerDb(), [slotId], new Date(startMs));
  await produceDueSignals(workerDb(), never);
});

describe("training and ticking on a database", () => {
  it("a slot is due for training a minute after it first has enough candles, at twice as many, and after a week", async () => {
    const plan = SETTINGS_BY_NAME.training.byDefault;
    const slot = await state();
    const inHours = (hours: number) => new Date(slot.firstSeenAt.getTime() + hours * HOUR_MS);
    expect(isTrainable(slot)).toBe(true);
    expect(isTrainingDue(slot, plan, inHours(0.01))).toBe(false);
    expect(isTrainingDue(slot, plan, inHours(0.02))).toBe(true);
    expect(isTrainingDue({ ...slot, lastTrainedAt: inHours(2) }, plan, inHours(100))).toBe(false);
    expect(isTrainingDue({ ...slot, lastTrainedAt: inHours(2) }, plan, inHours(171))).toBe(true);
    expect(isTrainingDue({ ...slot, lastTrainedAt: inHours(2), hasDoubled: true }, plan, inHours(3))).toBe(
      true,
    );
    expect(isTrainingDue(slot, { ...plan, enabled: false }, inHours(2))).toBe(false);
    expect(isTrainingDue({ ...slot, hasParameters: false, modelV: "theirs-1" }, plan, inHours(2))).toBe(
      false,
    );
  });

  it("training registers the promoted champion with its AUC and class frequencies, and the API names it", async () => {
    const training = await trainSlotModel(workerDb(), await state(), [await state()], {
      settings: SMALL_WALK_FORWARD,
    });
    expect(training.decision.change).toBe("promoted");
    const [champion] = await listChampions(workerDb());
    expect(await findPromotionReason(workerDb(), slotId, champion!.modelV)).toBe(training.decision.reason);
    expect(await findPromotionReason(workerDb(), slotId, "unknown")).toBeNull();
    expect(champion).toMatchObject({
      slotId,
      modelV: expect.stringMatching(/^(blend|trees|logistic)-\d{8}-[0-9a-f]{8}$/),
    });
    expect(champion!.classFreq!.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    expect(champion!.aucWf).toBeGreaterThan(0.4);
    expect(champion!.aucWf).toBeLessThan(0.6);
    const { key } = await makeKey();
    const { json } = await call("GET", "/api/models", { key });
    expect(json.models[0].model_v).toBe(champion!.modelV);
    expect(await state()).toMatchObject({
      nTrainings: 1,
      champion: training.decision.champion,
      hasParameters: true,
    });
  }, 120_000);

  it("the champion's claim at promotion is in the ledger, and cannot be updated", async () => {
    await enterIntoLedger(workerDb());
    const { modelV } = await state();
    const { json } = await call("GET", `/api/public/models?model_v=${modelV}`);
    const { claim, promotions, class_frequencies } = json.items[0];
    expect(promotions).toHaveLength(1);
    expect(claim.n).toBeGreaterThan(1000);
    for (const name of ["skill", "ece", "directional_share"]) {
      const { value, ci95 } = claim[name];
      expect(ci95[0], name).toBeLessThanOrEqual(value);
      expect(ci95[1], name).toBeGreaterThanOrEqual(value);
    }
    const entries = await call("GET", "/api/public/ledger/entries?start=0&end=999");
    const said = (entry: number) => JSON.parse(entries.json.items[entry].content);
    expect(said(claim.entry)).toMatchObject({ kind: "claim", model_v: modelV, n: claim.n });
    expect(said(claim.entry).skill).toBeCloseTo(claim.skill.value, 6);
    expect(said(promotions[0].entry)).toMatchObject({ kind: "promotion", class_frequencies });
    await expect(workerDb().execute(sql`update model_claims set skill = 1`)).rejects.toThrow();
  });

  it("a second training on the same candles gives the same model version, and is counted", async () => {
    const before = (await state()).modelV;
    await trainSlotModel(workerDb(), await state(), [await state()], { settings: SMALL_WALK_FORWARD });
    expect(await state()).toMatchObject({ modelV: before, nTrainings: 2 });
  }, 120_000);

  it("a closed candle becomes a signal of the champion, with its features", async () => {
    // The candle before the last closed less than two hours ago: in time.
    await store(N - 6, N - 1);
    expect(await produceDueSignals(workerDb(), never)).toBe(1);
    const { key } = await makeKey();
    const { json } = await call("GET", "/api/scan", { key });
    const [item] = json.items;
    expect(item).toMatchObject({ symbol: "BTCUSD", timeframe: "H1", model_v: (await state()).modelV });
    expect(item.prob_buy + item.prob_sell + item.prob_no).toBeCloseTo(1, 9);
    await recordFeatureDrift(workerDb());
    const monitoring = await call("GET", "/admin/monitoring-data", { admin: true });
    const names = monitoring.json.feature_health.map((row: { feature: string }) => row.feature);
    expect(names).toContain("rsi_14");
  });

  it("a signal is stored only together with its feature values, and the next run stores both", async () => {
    await forgetSignals();
    await workerDb().execute(sql`delete from feature_values`);
    await workerDb().execute(sql`
      create function refuse_values() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
    await workerDb().execute(sql`
      create trigger refuse_values before insert on feature_values execute function refuse_values()`);
    await expect(produceDueSignals(workerDb(), never)).rejects.toThrow();
    const stored = async () => {
      const [row] = await workerDb().execute(sql`
        select (select count(*)::int from signals) as signals, (select count(*)::int from feature_values) as "values"`);
      return row;
    };
    expect(await stored()).toEqual({ signals: 0, values: 0 });
    await workerDb().execute(sql`drop function refuse_values cascade`);
    expect(await produceDueSignals(workerDb(), never)).toBe(1);
    expect(await stored()).toEqual({ signals: 1, values: 1 });
  });

  it("candles missed during downtime get one signal each, and late ones are marked and left out of figures", async () => {
    await forgetSignals();
    await store(N - 1, N);
    // The champion was active, and stopped after the candle 8 hours ago.
    await workerDb().execute(sql`update models set champion_since = now() - interval '2 days'`);
    await ingest("signals", [
      signalItem({ symbol: "BTCUSD", ts: new Date(startMs + (N - 8) * HOUR_MS), model_v: "before" }),
    ]);
    // Like the worker: in a separate thread with its own pool.
    await produceSignalsInThread(never);
    await produceSignalsInThread(never);
    const rows = await workerDb().execute<{ hours: number; backfilled: boolean }>(sql`
      select round(extract(epoch from to_timestamp(${startMs + N * HOUR_MS} / 1000.0) - ts) / 3600)::int as hours, backfilled
        from signals order by ts desc`);
    expect(rows.map(({ hours }) => hours)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    // The candle of three hours ago closed two hours and some minutes ago. The limit is two hours and a
    // quarter, so the minute of this run decides whether it is late.
    const marked = rows.filter(({ hours }) => hours !== 3).map(({ backfilled }) => backfilled);
    expect(marked).toEqual([false, false, true, true, true, true, false]);

    const { key } = await makeKey();
    const { json } = await call("GET", "/api/signals/BTCUSD/H1", { key });
    const times: number[] = json.map((signal: { ts: string }) => Date.parse(signal.ts));
    for (const back of [4, 5, 6, 7]) expect(times).not.toContain(startMs + (N - back) * HOUR_MS);
    for (const back of [1, 2, 8]) expect(times).toContain(startMs + (N - back) * HOUR_MS);
    const { json: performance } = await call("GET", "/api/performance?symbol=BTCUSD", { key });
    const n = performance.items.reduce((sum: number, item: { n_signals: number }) => sum + item.n_signals, 0);
    expect(n).toBe(times.length);
  });

  it("a champion without signals starts with the newest candle and creates no past ones", async () => {
    await forgetSignals();
    expect(await produceDueSignals(workerDb(), never)).toBe(1);
    const { key } = await makeKey();
    const { json } = await call("GET", "/api/signals/BTCUSD/H1", { key });
    expect(json.map((signal: { ts: string }) => Date.parse(signal.ts))).toEqual([
      startMs + (N - 1) * HOUR_MS,
    ]);
  });

  it("a training stops at once on request and stores nothing", async () => {
    await makeDue();
    const abort = new AbortController();
    const running = trainDueSlot(abort.signal);
    await pause(700);
    const abortedMs = Date.now();
    abort.abort();
    await running;
    expect(Date.now() - abortedMs).toBeLessThan(1_000);
    expect((await state()).nTrainings).toBe(2);
  });

  it("a training whose worker has ended stops by itself and stores nothing", async () => {
    await makeDue();
    const training = fork(workerEntryUrl("training-process"), [String(slotId)], {
      execArgv: ["--import", "tsx"],
    });
    const ended = once(training, "exit");
    await pause(1_500);
    expect(training.exitCode).toBeNull();
    training.disconnect();
    await ended;
    expect((await state()).nTrainings).toBe(2);
  });

  it("a slot with a failed training is postponed", async () => {
    await makeDue();
    await workerDb().execute(sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`);
    await workerDb().execute(sql`
      create trigger refuse before insert on trainings for each row execute function refuse()`);
    expect(await findSlotDueForTraining(workerDb(), new Date())).toBe(slotId);
    await expect(trainDueSlot(never)).rejects.toMatchObject({ code: "P0001" });
    expect(await findSlotDueForTraining(workerDb(), new Date())).toBeNull();
    const later = new Date(Date.now() + 7 * HOUR_MS);
    expect(await findSlotDueForTraining(workerDb(), later)).toBe(slotId);
    await workerDb().execute(sql`drop trigger refuse on trainings`);
    await workerDb().execute(sql`drop function refuse`);
    postponeTraining(slotId, new Date(0));
  }, 240_000);

  it("the worker trains the due slot, and then none is due", async () => {
    await makeDue();
    await trainDueSlot(never);
    expect((await state()).nTrainings).toBe(3);
    await writeSetting(workerDb(), "training", {});
    await trainDueSlot(never);
    expect((await state()).nTrainings).toBe(3);
  }, 240_000);

  it("an operator's model that takes over during training stays the champion", async () => {
    const before = await state();
    await ingest("models", [modelItem("BTCUSD", "H1", { model_v: "theirs-1" })]);
    const training = await trainSlotModel(workerDb(), before, [before], { settings: SMALL_WALK_FORWARD });
    expect(training.isRecorded).toBe(false);
    expect(await state()).toMatchObject({ modelV: "theirs-1", nTrainings: before.nTrainings });
  }, 120_000);

  it("a slot with an operator's own model keeps it", async () => {
    expect(isTrainable(await state())).toBe(false);
    await store(N - 1, N);
    await produceDueSignals(workerDb(), never);
    expect((await state()).modelV).toBe("theirs-1");
  });
});
