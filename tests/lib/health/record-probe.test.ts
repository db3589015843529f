import { expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { readStatusPage } from "@/lib/health/read-status-page";
import { recordProbe } from "@/lib/health/record-probe";
import { readServiceState } from "@/lib/health/service-state";
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

it("time without probes becomes an incident even if the first attempt to store it fails", async () => {
  const client = db().$client;
  await client`create function refuse_incidents() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
  await client`create trigger refuse_incidents before insert on incidents execute function refuse_incidents()`;
  const later = new Date(Date.now() + 30 * MINUTE_MS);
  await expect(recordProbe(workerDb(), later)).rejects.toThrow();
  await client`drop function refuse_incidents cascade`;
  await recordProbe(workerDb(), later);
  await recordProbe(workerDb(), later);
  const stored = await client`select reasons, closed_at from incidents`;
  expect(stored).toMatchObject([
    { reasons: [expect.stringContaining("not_running")], closed_at: expect.any(String) },
  ]);
});

it("minutes before the first signal are degraded and not down, although every slot waits for a signal", async () => {
  await db().$client`delete from latest_signals`;
  await db().$client`update models set is_active = true`;
  const { assessment } = await readServiceState(new Date());
  expect([assessment.status, assessment.lastPrediction]).toEqual(["down", null]);
  await recordProbe(workerDb(), new Date(Date.now() + 31 * MINUTE_MS));
  expect((await probes()).at(-1)).toBe("degraded");
});

it("an incident of old candles names the slot and its newest candle", async () => {
  await storeMarket({ symbol: "EURUSD", nCandles: 40, nSignals: 3, seed: 6 });
  const later = new Date(Date.now() + 5 * 24 * 60 * MINUTE_MS);
  for (const minute of [0, 1]) await recordProbe(workerDb(), new Date(later.getTime() + minute * MINUTE_MS));
  const stored = await db().$client`select reasons from incidents where component = 'candles'`;
  expect(stored).toMatchObject([{ reasons: [expect.stringMatching(/EURUSD H1: newest candle of \d{4}-/)] }]);
});
