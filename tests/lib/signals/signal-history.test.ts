import { beforeAll, expect, it } from "vitest";
import { db } from "@/db/client";
import { readStateVersions } from "@/db/queries/keys";
import {
  countSignalHistory,
  countSignalsByDirection,
  listSignalHistory,
  type SignalFilter,
} from "@/db/queries/signal-history";
import { effectiveScope } from "@/lib/access/plans";
import { listSlotViews } from "@/lib/signals/list-slot-views";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest, modelItem, signalItem } from "@/tests/support/market-data";

useDatabase();

beforeAll(async () => {
  await ingest("models", [modelItem("EURUSD"), modelItem("EURUSD", "M15"), modelItem("BTCUSD")]);
  await ingest("signals", [
    signalItem({ symbol: "EURUSD" }),
    signalItem({ symbol: "EURUSD", ts: hourlyCandleOpenTime(1), signal: "NO_TRADE", probs: [0.2, 0.2, 0.6] }),
    signalItem({ symbol: "EURUSD", timeframe: "M15" }),
    signalItem({ symbol: "BTCUSD", signal: "SELL", probs: [0.1, 0.7, 0.2] }),
  ]);
});

const basic = effectiveScope({
  planTier: "basic",
  symbolsAllowed: null,
  tfsAllowed: null,
  rateLimitPerMin: null,
});
const inScope = { scope: basic, since: hourlyCandleOpenTime(48) };
const everything = { scope: { symbols: null, timeframes: null }, since: hourlyCandleOpenTime(48) };
const page = { limit: 50, offset: 0 };
const named = async (filter: SignalFilter) =>
  (await listSignalHistory(db(), filter, page)).map((row) => `${row.symbol}/${row.timeframe} ${row.signal}`);

it("listSignalHistory returns only slots of the plan, even if others are requested", async () => {
  expect(await named({ ...inScope, includeNoTrade: true })).toEqual(["EURUSD/H1 BUY", "EURUSD/H1 NO_TRADE"]);
  expect(await named({ ...inScope, symbol: "BTCUSD", includeNoTrade: true })).toEqual([]);
  expect(await named({ ...inScope, timeframe: "M15", includeNoTrade: true })).toEqual([]);
  expect(await countSignalHistory(db(), { ...inScope, includeNoTrade: true }, 100)).toBe(2);
  expect(await countSignalsByDirection(db(), inScope)).toEqual({ BUY: 1, SELL: 0, NO_TRADE: 1 });
  expect(await countSignalsByDirection(db(), everything)).toEqual({ BUY: 2, SELL: 1, NO_TRADE: 1 });
});

it("listSignalHistory returns only slots of concurrent plans, one for a symbol and one for a timeframe", async () => {
  const parts = [
    { symbols: ["BTCUSD"], timeframes: null },
    { symbols: null, timeframes: ["M15"] },
  ];
  const filter = { scope: { symbols: null, timeframes: null, parts }, since: hourlyCandleOpenTime(48) };
  expect((await named({ ...filter, includeNoTrade: true })).toSorted()).toEqual([
    "BTCUSD/H1 SELL",
    "EURUSD/M15 BUY",
  ]);
  expect(await countSignalsByDirection(db(), filter)).toEqual({ BUY: 1, SELL: 1, NO_TRADE: 0 });
});

it("listSignalHistory filters by direction and confidence, and omits NO_TRADE unless it is asked for", async () => {
  expect(await named({ ...everything, includeNoTrade: false })).toHaveLength(3);
  expect(await named({ ...everything, direction: "SELL", includeNoTrade: false })).toEqual([
    "BTCUSD/H1 SELL",
  ]);
  expect(await named({ ...everything, direction: "NO_TRADE", includeNoTrade: false })).toEqual([
    "EURUSD/H1 NO_TRADE",
  ]);
  expect(await named({ ...everything, minConfidence: 0.65, includeNoTrade: true })).toEqual([
    "BTCUSD/H1 SELL",
  ]);
});

it("listSlotViews returns the slots of the plan and counts the hidden ones", async () => {
  const { signals: version } = await readStateVersions(db());
  const { slots, nHidden } = await listSlotViews(basic, version, new Date());
  expect(slots.map((slot) => `${slot.symbol}/${slot.timeframe} ${slot.signal?.signal}`)).toEqual([
    "EURUSD/H1 BUY",
  ]);
  expect(nHidden).toBe(2);
});
