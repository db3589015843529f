import { expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { readStatusPage } from "@/lib/health/read-status-page";
import { recordProbe } from "@/lib/health/record-probe";
import { useDatabase } from "@/tests/support/database";
import { storeMarket } from "@/tests/support/record-market";

useDatabase({ MARKET_FEED: "demo" });

const MINUTE_MS = 60_000;
const probes = async () =>
  (await db().$client`select status from health_probes order by minute`).map(({ status }) => status);

it("a new demo is observed from its first healthy minute on, so that making its market is no failure", async () => {
  const now = Date.now();
  const probeIn = (minutes: number) => recordProbe(workerDb(), new Date(now + minutes * MINUTE_MS));
  await probeIn(0);
  expect(await probes()).toEqual([]);
  expect((await readStatusPage()).past).toMatchObject({ brief: [], incidents: [] });
  await storeMarket({ symbol: "BTCUSD", nCandles: 40, nSignals: 3, seed: 5 });
  await probeIn(1);
  expect(await probes()).toEqual(["ok"]);
  await db().$client`update models set is_active = false`;
  await probeIn(2);
  expect(await probes()).toEqual(["ok", "degraded"]);
});
