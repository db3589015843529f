import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { upsertModels } from "@/db/queries/models";
import { recordBaselineFigures } from "@/lib/models/producer/record-baseline-figures";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { addDays } from "@/lib/time";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { storeMarket } from "@/tests/support/record-market";

useDatabase({ MARKET_FEED: "off" });

const sql = () => db().$client;
const RUNNING = new AbortController().signal;
const now = new Date();
const measure = (at: Date) => recordBaselineFigures(workerDb(), at, RUNNING);
const models = async (key: string) => (await call("GET", "/api/models", { key })).json.models;

beforeAll(async () => {
  for (const [i, symbol] of ["EURUSD", "GBPUSD"].entries())
    await storeMarket({ symbol, nCandles: 1_500, nSignals: 0, seed: 91 + i });
  await storeMarket({ symbol: "NEWONE", nCandles: 40, nSignals: 0, seed: 93 });
  // GBPUSD keeps the operator's own model.
  await sql()`delete from models where slot_id in (select id from slots where symbol <> 'GBPUSD')`;
  const slots = await sql()`select id from slots where symbol <> 'GBPUSD'`;
  await makeBaselineChampion(
    workerDb(),
    slots.map(({ id }) => Number(id)),
    now,
  );
});

describe("the baseline as champion", () => {
  it("the baseline as champion gets walk-forward figures in the API, and other models are unchanged", async () => {
    const { key } = await makeKey();
    expect(
      (await models(key)).find(({ symbol }: { symbol: string }) => symbol === "EURUSD").auc_wf,
    ).toBeNull();
    expect(await measure(now)).toBe(1);
    const listed = await models(key);
    const of = (name: string) => listed.find(({ symbol }: { symbol: string }) => symbol === name);
    expect(of("EURUSD").auc_wf).toBeGreaterThan(0.35);
    expect(of("EURUSD").auc_wf).toBeLessThan(0.65);
    expect(of("EURUSD").pf_wf).toBeGreaterThan(0);
    expect(of("GBPUSD")).toMatchObject({ auc_wf: null, pf_wf: null });
    expect(of("NEWONE")).toMatchObject({ auc_wf: null, pf_wf: null });
    const { json } = await call("GET", "/api/public/models?symbol=EURUSD");
    expect(json.items[0]).toMatchObject({ auc_wf: of("EURUSD").auc_wf, pf_wf: of("EURUSD").pf_wf });
    expect(json.items[0].n_wf).toBeGreaterThan(1_000);
  });

  it("a model whose figures come from another sample counts as changed", async () => {
    const [{ id } = { id: 0 }] = await sql()`select id from slots where symbol = 'GBPUSD'`;
    const model = {
      ...{ slotId: Number(id), modelV: "m1", aucWf: 0.5, pfWf: 1, isActive: true, trainedAt: now },
      ...{ classFreq: null, featureStats: null },
    };
    expect(await upsertModels(db(), [{ ...model, nWf: 100, measuredAt: now }])).toBe(1);
    expect(await upsertModels(db(), [{ ...model, nWf: 100, measuredAt: now }])).toBe(0);
    expect(await upsertModels(db(), [{ ...model, nWf: 101, measuredAt: now }])).toBe(1);
    expect(await upsertModels(db(), [{ ...model, nWf: 101, measuredAt: addDays(now, 1) }])).toBe(1);
  });

  it("the baseline is measured once a day", async () => {
    expect(await measure(addDays(now, 0.9))).toBe(0);
    expect(await measure(addDays(now, 1.1))).toBe(1);
  });
});
