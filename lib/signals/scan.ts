import type { z } from "zod";
import { db } from "@/db/client";
import type { StateVersions } from "@/db/queries/keys";
import type { OpenPause } from "@/db/queries/pauses";
import { type LatestSignal, readLatestSignals } from "@/db/queries/signals";
import { coveringPause } from "@/lib/access/pauses";
import { isNarrowed, type Scope, scopeIncludes } from "@/lib/access/plans";
import { nextCandleCloseAt, signalValidUntil, slotFreshness } from "@/lib/market/freshness";
import { compareSlots } from "@/lib/market/slot-order";
import { processWide } from "@/lib/runtime/process-wide";
import { type ExpiringValue, windowCache } from "@/lib/runtime/window-cache";
import type { PlanTier } from "@/lib/vocabulary";
import { roundProbability } from "@/lib/wire/contracts/shared";
import type { Scan } from "@/lib/wire/contracts/signals";
import { toLevelFields, toScanItem } from "@/lib/wire/signal-item";
import { toSignalRange } from "./signal-range";
import { latestVisibleCloses, nextMinute } from "./visible-closes";

interface Snapshot {
  version: number;
  /** By symbol, then by length of timeframe. */
  signals: LatestSignal[];
  /** Pauses in force. */
  pauses: OpenPause[];
  /**
   * Sequence number of the newest shown signal, by scope id. Cached, because thousands of concurrent answers need it.
   */
  newestSeqs: Map<string, number>;
  /** When a delayed snapshot becomes outdated even without new data; null: only new data outdates it. */
  validUntil: Date | null;
}

const state = () =>
  processWide<{ snapshot: Snapshot | null; loading: Promise<Snapshot> | null }>("scan", () => ({
    snapshot: null,
    loading: null,
  }));

/**
 * The newest signal of each slot, also of slots outside the scope, and the pauses in force. For a delayed scope: of
 * each slot the newest signal whose delay has passed at `now`.
 */
export function readSignalSnapshot(scope: Scope, version: number, now: Date): Promise<Snapshot> {
  const { delayCandles } = scope;
  if (delayCandles === undefined) return getSnapshot(version);
  return windowCache<Snapshot>("scan.delayed").get(String(delayCandles), version, now, async () => {
    const { signals, ...read } = await readLatestSignals(db(), latestVisibleCloses(scope, now));
    const validUntil = nextMinute(now);
    const value = { ...read, signals: signals.toSorted(compareSlots), newestSeqs: new Map(), validUntil };
    return { value, validUntil };
  });
}

/**
 * The newest signal of each slot, as of `version` from the caller's key look-up or later. It is read again only when
 * the version changes, and includes everything that was committed before the request.
 */
async function getSnapshot(version: number): Promise<Snapshot> {
  const held = state();
  for (;;) {
    if (held.snapshot && held.snapshot.version >= version) return held.snapshot;
    // A load that began before this version was committed may miss it, so check again after it.
    held.loading ??= load().finally(() => {
      held.loading = null;
    });
    await held.loading;
  }
}

async function load(): Promise<Snapshot> {
  const { version, signals, pauses } = await readLatestSignals(db());
  const snapshot = {
    version,
    signals: signals.toSorted(compareSlots),
    pauses,
    newestSeqs: new Map<string, number>(),
    validUntil: null,
  };
  const held = state();
  if (!held.snapshot || held.snapshot.version <= version) held.snapshot = snapshot;
  return snapshot;
}

interface ScanWanted {
  version: number;
  planTier: PlanTier;
  scope: Scope;
  minConfidence: number;
}

/** Optional parts of each item. */
interface ScanParts {
  withRange?: boolean;
  withLevels?: boolean;
}

/**
 * The newest signal of each slot in scope that is not paused, if its confidence is at least `minConfidence`. Valid
 * until the version of signals changes; for a delayed scope, at most until the next minute.
 */
export async function getScan(
  wanted: ScanWanted,
  now: Date,
  { withRange = false, withLevels = false }: ScanParts = {},
): Promise<ExpiringValue<z.output<typeof Scan>>> {
  const snapshot = await readSignalSnapshot(wanted.scope, wanted.version, now);
  const item = (signal: LatestSignal) => ({
    ...toScanItem(signal),
    ...(withRange && { range: toSignalRange(signal) }),
    ...(withLevels && toLevelFields(signal)),
  });
  return { value: scanOf(snapshot, wanted, item), validUntil: snapshot.validUntil };
}

/** Like `getScan`, with the id, age and validity of each signal. Do not cache it: ages depend on `now`. */
export async function getScanWithValidity(
  wanted: ScanWanted,
  now: Date,
  { withRange = false, withLevels = false }: ScanParts = {},
): Promise<z.output<typeof Scan>> {
  const snapshot = await readSignalSnapshot(wanted.scope, wanted.version, now);
  return scanOf(snapshot, wanted, (signal) => {
    const { ageMinutes, stale } = slotFreshness({ ...signal, lastTs: signal.ts, now });
    return {
      ...toScanItem(signal),
      pred_id: signal.predId,
      valid_until: signalValidUntil(signal, signal.ts),
      age_minutes: Math.round((ageMinutes ?? 0) * 100) / 100,
      stale,
      ...(withRange && { range: toSignalRange(signal) }),
      ...(withLevels && toLevelFields(signal)),
    };
  });
}

/**
 * The earliest next candle close of the slots in scope that have a signal; null: there is no such slot. Valid until
 * that close, or until another slot gets its first signal.
 */
export async function getNextCandleClose(
  wanted: Pick<ScanWanted, "version" | "scope">,
  now: Date,
): Promise<ExpiringValue<Date | null>> {
  const snapshot = await readSignalSnapshot(wanted.scope, wanted.version, now);
  const closesMs = snapshot.signals
    .filter(({ symbol, timeframe }) => scopeIncludes(wanted.scope, symbol, timeframe))
    .map(({ calendar, timeframe }) => nextCandleCloseAt(calendar, timeframe, now).getTime());
  const next = closesMs.length === 0 ? null : new Date(Math.min(...closesMs));
  return { value: next, validUntil: next };
}

/**
 * Sequence number of the newest signal in scope whose slot is not paused, as of the caller's key look-up; 0: no such
 * signal. Returns a promise only if the snapshot must be read.
 */
export function newestSeqInScope(versions: StateVersions, scope: Scope): number | Promise<number> {
  const { snapshot } = state();
  return snapshot && snapshot.version >= versions.signals
    ? newestIn(snapshot, versions, scope)
    : getSnapshot(versions.signals).then((read) => newestIn(read, versions, scope));
}

function newestIn(snapshot: Snapshot, { lastSeq }: StateVersions, scope: Scope): number {
  let newest = snapshot.newestSeqs.get(scope.id);
  if (newest === undefined) {
    newest = newestShown(snapshot, scope);
    snapshot.newestSeqs.set(scope.id, newest);
  }
  // If the snapshot is newer than the caller's look-up, its newest signal may be newer than `lastSeq`.
  return Math.min(newest, lastSeq);
}

const newestShown = (snapshot: Snapshot, scope: Scope) =>
  snapshot.signals
    .filter((signal) => isShown(snapshot, scope, signal))
    .reduce((most, { seq }) => Math.max(most, seq), 0);

/** A slot's id and the sequence number of its newest signal; null: the slot has no signal or is paused. */
export async function newestSeqOfSlot(
  { signals: version, lastSeq }: StateVersions,
  slot: { symbol: string; timeframe: string },
): Promise<{ slotId: number; newestSeq: number } | null> {
  const snapshot = await getSnapshot(version);
  const latest = snapshot.signals.find(
    ({ symbol, timeframe }) => symbol === slot.symbol && timeframe === slot.timeframe,
  );
  return latest && coveringPause(snapshot.pauses, latest) === null
    ? { slotId: latest.slotId, newestSeq: Math.min(latest.seq, lastSeq) }
    : null;
}

/** Whether a signal is in scope and its slot is not paused. */
const isShown = ({ pauses }: Snapshot, scope: Scope, signal: LatestSignal) =>
  scopeIncludes(scope, signal.symbol, signal.timeframe) && coveringPause(pauses, signal) === null;

/** The paused slots in scope that have a signal, such as `EURUSD/H1`. */
export async function listPausedSlots(version: number, scope: Scope, now: Date): Promise<string[]> {
  const { signals, pauses } = await readSignalSnapshot(scope, version, now);
  if (pauses.length === 0) return [];
  return signals
    .filter(
      (signal) => scopeIncludes(scope, signal.symbol, signal.timeframe) && coveringPause(pauses, signal),
    )
    .map(({ symbol, timeframe }) => `${symbol}/${timeframe}`);
}

function scanOf<T>(snapshot: Snapshot, wanted: ScanWanted, item: (signal: LatestSignal) => T) {
  const items = snapshot.signals
    .filter((signal) => isShown(snapshot, wanted.scope, signal))
    .filter((signal) => roundProbability(signal.confidence) >= wanted.minConfidence)
    .map(item);
  return { items, plan_tier: wanted.planTier, filtered_by_plan: isNarrowed(wanted.scope) };
}
