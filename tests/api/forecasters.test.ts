import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as act } from "@/app/admin/(area)/models/act/route";
import { db, workerDb } from "@/db/client";
import { listModelVersions, type ModelVersion } from "@/db/queries/models";
import { BASELINE_VERSION } from "@/lib/engine/baseline";
import { readAlertFacts } from "@/lib/health/read-alert-facts";
import { readStatusPage } from "@/lib/health/read-status-page";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { evaluateAlerts } from "@/lib/outbound/alerts/evaluate-alerts";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import {
  formHandlerOfSetting,
  formRequest,
  postFormForFlash,
  signInAdmin,
  storeSetting,
} from "@/tests/support/admin-browser";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, modelItem, signalItem } from "@/tests/support/market-data";

useDatabase({ MARKET_FEED: "off" });

const SLOT = { symbol: "BTCUSD", timeframe: "H1" } as const;
const N = 1_100;
const never = new AbortController().signal;
const { open, high, low, close } = randomWalk({ n: N, seed: 3 });

let cookie = "";
let key = "";
beforeAll(async () => {
  cookie = await signInAdmin();
  key = (await makeKey({ plan_tier: "pro" })).key;
  const candles = Array.from({ length: N }, (_, i) => ({
    ...SLOT,
    ts: hourlyCandleOpenTime(N - 1 - i).toISOString(),
    open: open[i],
    high: high[i],
    low: low[i],
    close: close[i],
  }));
  await ingest("candles", candles);
  await ingest("models", [modelItem("BTCUSD", "H1", { model_v: "own-1" })]);
});

const submit = (intent: string, fields: Record<string, string>) =>
  postFormForFlash(
    (_request, context) =>
      act(formRequest(`/admin/models/act?intent=${intent}`, fields, { cookie }), context),
    {},
    fields,
    cookie,
  );
const versions = () => listModelVersions(db(), SLOT);
const idOf = (models: ModelVersion[], modelV: string) =>
  String(models.find((model) => model.modelV === modelV)!.id);
const sendOwn = (back: number, model_v = "own-1") =>
  ingest("signals", [signalItem({ symbol: "BTCUSD", ts: hourlyCandleOpenTime(back), model_v })]);
const history = async () =>
  (await call("GET", "/api/signals/BTCUSD/H1", { key })).json.map(({ ts }: { ts: string }) => Date.parse(ts));
const shownModel = async () =>
  (await call("GET", "/api/scan", { key })).json.items.find(
    ({ symbol }: { symbol: string }) => symbol === "BTCUSD",
  )?.model_v;

describe("the forecaster of a slot", () => {
  it("until the operator chooses a model for a slot, signals of the active model and of unregistered ones are delivered", async () => {
    await ingest("models", [modelItem("BTCUSD", "H1", { model_v: "own-0", is_active: false })]);
    await sendOwn(3, "own-0");
    await sendOwn(3);
    await sendOwn(2, "own-unregistered");
    await sendOwn(1, "own-0");
    expect(await history()).toEqual([hourlyCandleOpenTime(2).getTime(), hourlyCandleOpenTime(3).getTime()]);
  });

  it("beside an own model that is shown, the built-in model runs without delivery and outside the ledger", async () => {
    expect(await submit("beside", { ...SLOT, kept: "true" })).toMatchObject({ kind: "done" });
    expect(await produceDueSignals(workerDb(), never)).toBe(1);
    expect(await produceDueSignals(workerDb(), never)).toBe(0);
    const rows = await db().execute<{ model_v: string; beside: boolean }>(
      sql`select model_v, beside from signals where ts = ${hourlyCandleOpenTime(0).toISOString()}::timestamptz`,
    );
    expect([...rows]).toEqual([{ model_v: BASELINE_VERSION, beside: true }]);
    expect(await history()).toHaveLength(2);
    expect(await shownModel()).toBe("own-unregistered");
    await enterIntoLedger(workerDb());
    const entered = await db().execute(sql`
      select 1 from ledger_signals l join signals g on g.id = l.signal_id where g.beside`);
    expect(entered).toHaveLength(0);
  });

  it("while the built-in model is shown, signals of an own model are delivered only once the operator promotes an own model", async () => {
    const models = await versions();
    expect(await submit("promote", { id: idOf(models, BASELINE_VERSION) })).toMatchObject({ kind: "done" });
    await sendOwn(1);
    await ingest("models", [modelItem("BTCUSD", "H1", { model_v: "own-2" })]);
    expect(await history()).toHaveLength(2);
    expect((await versions()).filter(({ isActive }) => isActive).map(({ modelV }) => modelV)).toEqual([
      BASELINE_VERSION,
    ]);
    expect(await submit("promote", { id: idOf(await versions(), "own-2") })).toMatchObject({ kind: "done" });
    await sendOwn(0, "own-2");
    expect(await shownModel()).toBe("own-2");
  });

  it("a slot has no model after its own model is retired: no built-in model takes over", async () => {
    const models = await versions();
    await submit("retire", { id: idOf(models, "own-2") });
    expect(await makeBaselineChampion(workerDb(), [models[0]!.slotId], new Date())).toBe(0);
    expect((await versions()).some(({ isActive }) => isActive)).toBe(false);
    expect(await submit("retire", { id: idOf(models, "own-2") })).toMatchObject({ kind: "failed" });
    const audit = await db().execute<{ action: string }>(
      sql`select action from admin_audit where action like 'model.%' order by id`,
    );
    expect(audit.map(({ action }) => action)).toEqual([
      "model.beside",
      "model.promote",
      "model.promote",
      "model.retire",
    ]);
  });
});

describe("built-in models", () => {
  it("built-in models can be switched off for all slots and on again", async () => {
    await submit("promote", { id: idOf(await versions(), BASELINE_VERSION) });
    const off = await storeSetting(formHandlerOfSetting("built_in_models"), {}, {}, cookie);
    expect(off.lines[0]).toBe(
      "1 slot served by a built-in model has no model from now on, until you promote one of your own. No model is trained.",
    );
    const models = await versions();
    expect(models.some(({ isActive }) => isActive)).toBe(false);
    expect(await submit("promote", { id: idOf(models, BASELINE_VERSION) })).toMatchObject({
      kind: "failed",
      text: expect.stringContaining("switched off"),
    });
    await storeSetting(formHandlerOfSetting("built_in_models"), {}, { enabled: "true" }, cookie);
    expect((await versions()).find(({ isActive }) => isActive)?.modelV).toBe(BASELINE_VERSION);
  });
});

describe("a late own model", () => {
  it("an own model that is late appears on the status page and raises an alert until it sends a signal", async () => {
    await ingest("models", [modelItem("ETHUSD", "H1", { model_v: "own-eth" })]);
    const late = async () =>
      evaluateAlerts(await readAlertFacts(db(), new Date())).find((one) => one.topic === "own_model_late");
    await db().execute(
      sql`update models set champion_since = now() - interval '3 hours' where model_v = 'own-eth'`,
    );
    expect(await late()).toMatchObject({
      title: "Your own model is late",
      text: "No signal in time: ETHUSD H1 (own-eth). Check the server that sends them.",
    });
    expect((await readStatusPage()).past?.late).toEqual([{ of: "ETHUSD H1", since: null }]);
    await ingest("signals", [signalItem({ symbol: "ETHUSD", model_v: "own-eth" })]);
    expect(await late()).toBeUndefined();
  });
});
