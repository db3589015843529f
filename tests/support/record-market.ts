import { type DatabaseHandle, db, workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import {
  advanceLedger,
  appendLedgerEntries,
  listUnenteredSignals,
  lockLedger,
  readSubtreeHashes,
  saveSignalLedgerEntries,
} from "@/db/queries/ledger";
import { upsertModels } from "@/db/queries/models";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { uniformSource } from "@/lib/engine/random";
import type { CandleSeries } from "@/lib/market/candles";
import { candleCloseAt, candleOpenMs, timeframeMinutes } from "@/lib/market/timeframes";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { canonicalJson } from "@/lib/signals/ledger/canonical-json";
import { commitmentContent, type LedgerContent } from "@/lib/signals/ledger/contents";
import { appendTreeLeaves, leafHash, peaksOf } from "@/lib/signals/ledger/merkle-tree";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { isSimulated } from "@/lib/signals/record/is-simulated";
import { recordSignals } from "@/lib/signals/record-signals";
import { MINUTE_MS } from "@/lib/time";
import { DIRECTIONS, type Timeframe } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { SIGNAL_DEFAULTS } from "./signal-defaults";

export interface StoredSignal {
  index: number;
  signal: (typeof DIRECTIONS)[number];
  probs: [number, number, number];
  expectedRr: number;
}

export interface StoredMarket {
  symbol: string;
  timeframe: Timeframe;
  modelV: string;
  candles: CandleSeries;
  signals: StoredSignal[];
}

/**
 * Stores a slot with a random walk that ends now or, with `ahead`, later; an active model; and a signal for each of the
 * last `nSignals` candles. Probabilities and signals are random: about two of three signals are BUY or SELL. Outcomes
 * are not resolved.
 */
export async function storeMarket(wish: {
  symbol: string;
  timeframe?: Timeframe;
  nCandles: number;
  nSignals: number;
  seed: number;
  /**
   * Number of candles that close after now (true: one per signal), so that signals entered now are committed in time.
   */
  ahead?: boolean | number;
  modelV?: string;
  /** Whether BUY and SELL signals have a stop, a target and a horizon; one in 20 has its stop on the wrong side. */
  levels?: boolean;
  /** Whether every signal is BUY or SELL. */
  onlyDirections?: boolean;
  /** The time that counts as now, for figures that do not depend on the day of the run. */
  nowMs?: number;
}): Promise<StoredMarket> {
  const {
    symbol,
    timeframe = "H1",
    nCandles,
    nSignals,
    seed,
    ahead = 0,
    modelV = "m1",
    levels = false,
    onlyDirections = false,
    nowMs = Date.now(),
  } = wish;
  const lengthMs = timeframeMinutes(timeframe) * MINUTE_MS;
  const nAhead = ahead === true ? nSignals : Number(ahead);
  const newestMs = candleOpenMs(nowMs, timeframe) + (nAhead - 1) * lengthMs;
  const candles = randomWalk({ n: nCandles, seed });
  for (let i = 0; i < nCandles; i++) candles.ts[i] = newestMs - (nCandles - 1 - i) * lengthMs;
  const slotIds = await ensureSlots(db(), [{ symbol, timeframe }], symbolDefaultsOf);
  const slotId = slotIds.get(slotKey({ symbol, timeframe }))!;
  await upsertCandles(
    db(),
    Array.from(candles.ts, (ts, i) => ({
      slotId,
      ts: new Date(ts),
      open: candles.open[i]!,
      high: candles.high[i]!,
      low: candles.low[i]!,
      close: candles.close[i]!,
      volume: 1,
    })),
  );
  await upsertModels(db(), [
    {
      slotId,
      modelV,
      aucWf: null,
      pfWf: null,
      isActive: true,
      trainedAt: new Date("2026-01-01T00:00:00Z"),
      classFreq: [0.36, 0.34, 0.3],
      featureStats: null,
    },
  ]);
  const uniform = uniformSource(seed + 1);
  const signals = Array.from({ length: nSignals }, (_, i): StoredSignal => {
    const buy = Math.round(1e6 * (0.2 + 0.3 * uniform())) / 1e6;
    const sell = Math.round(1e6 * (0.2 + 0.3 * uniform())) / 1e6;
    return {
      index: nCandles - nSignals + i,
      signal: DIRECTIONS[Math.floor((onlyDirections ? 2 : 3) * uniform())]!,
      probs: [buy, sell, Math.round(1e6 * (1 - buy - sell)) / 1e6],
      expectedRr: [1, 1.5, 2][Math.floor(3 * uniform())]!,
    };
  });
  await db().transaction((tx) =>
    recordSignals(
      tx,
      signals.map(({ index, signal, probs, expectedRr }) => {
        const ts = new Date(candles.ts[index]!);
        return {
          ...SIGNAL_DEFAULTS,
          slotId,
          ts,
          closesAt: candleCloseAt(ts, timeframe),
          modelV,
          signal,
          confidence: probs[DIRECTIONS.indexOf(signal)]!,
          probBuy: probs[0],
          probSell: probs[1],
          probNo: probs[2],
          expectedRr,
          ...(levels && signal !== "NO_TRADE" && levelsAt(candles.close[index]!, signal, index)),
        };
      }),
    ),
  );
  return { symbol, timeframe, modelV, candles, signals };
}

/** Stop, target and horizon that vary with the candle's index: each third has no target, each 20th a stop on the wrong side. */
function levelsAt(entry: number, signal: "BUY" | "SELL", index: number) {
  const way = signal === "BUY" ? 1 : -1;
  const away = entry * (0.0005 + 0.0005 * (index % 7));
  return {
    stop: entry + (index % 20 === 0 ? way : -way) * away,
    target: index % 3 === 0 ? null : entry + way * 1.7 * away,
    horizonCandles: 1 + (index % 12),
  };
}

/** Appends these contents as entries, with the new tree nodes, to a ledger of this size. */
export async function appendToLedger(
  tx: DatabaseHandle,
  size: number,
  contents: readonly LedgerContent[],
  at: Date,
): Promise<void> {
  const entries = contents.map(({ kind, subject, body }, i) => {
    const content = canonicalJson({ ...body, kind, subject, at: writeInstant(at) });
    return { index: size + i, kind, subject, content, leafHash: leafHash(content) };
  });
  const peaks = await readSubtreeHashes(tx, peaksOf(size));
  const leaves = entries.map((entry) => entry.leafHash);
  await appendLedgerEntries(tx, { entries, nodes: appendTreeLeaves(size, peaks, leaves).completed, at });
}

/**
 * Enters a commitment for every unentered signal, dated at the earliest close of their candles and marked as in time.
 */
export async function enterCommitmentsInTime(): Promise<void> {
  await db().transaction(async (tx) => {
    const { size, lastSeq } = await lockLedger(tx);
    const found = await listUnenteredSignals(tx, { after: lastSeq, limit: 100_000, horizonCandles: 12 });
    const at = new Date(Math.min(...found.map(({ closesAt }) => closesAt.getTime())));
    const salt = "00".repeat(32);
    const contents = found.map((one) => commitmentContent(one, salt));
    await appendToLedger(tx, size, contents, at);
    await saveSignalLedgerEntries(
      tx,
      found.map(({ signalId, slotId, symbol, timeframe }, i) => ({
        ...{ signalId, slotId, salt, commitment: size + i, reveal: null, outcome: null, inTime: true },
        simulated: isSimulated({ symbol, timeframe }),
      })),
    );
    const [now, newest] = [size + contents.length, found.at(-1)?.seq ?? lastSeq];
    await advanceLedger(tx, { at, size: now, folded: now, lastSeq: newest });
  });
}

/** Resolves every outcome that is due. */
export const resolveOutcomesNow = () => resolveOutcomes(workerDb());
