import type { DatabaseHandle } from "@/db/client";
import {
  type IssuedSignal,
  listChangedSignals,
  listIssuedSignals,
  readSignalsRevision,
  type SignalsRevision,
} from "@/db/queries/own-record";
import type { Slot, SlotScope } from "@/db/queries/slots";
import { processWide } from "@/lib/runtime/process-wide";

/**
 * Caches the newest issued signals of the last used scopes in the process, for all subscribers of a scope. An outcome
 * and a replacement are final once known. So an answer reads only signals that are not cached yet, and cached ones
 * whose outcome or replacement was not known.
 */

/** Number of signals that are cached per scope, about 1.5 MB; a few more if several candles closed at the same time. */
export const MAX_CACHED_SIGNALS = 6_000;
/** Maximum number of cached scopes; the least recently used one is evicted. */
const MAX_SCOPES = 16;

interface Cached {
  /** Newest close of the candle first; signals with the same close in order of creation, the last one first. */
  signals: readonly IssuedSignal[];
  /** All issued signals in scope whose candle closed after this instant are cached. */
  reachMs: number;
  revision: SignalsRevision;
}

const cachedScopes = () => processWide("made-signals", () => new Map<string, Cached>());

/**
 * The newest BUY and SELL signals in scope, at most `MAX_CACHED_SIGNALS`, that were made after `madeAfter` on candles closed
 * after `closedAfter`; newest close first.
 */
export async function readIssuedSignals(
  handle: DatabaseHandle,
  wanted: { scope: SlotScope; closedAfter: Date; madeAfter: Date },
  slots: readonly Slot[],
): Promise<IssuedSignal[]> {
  const { scope, closedAfter, madeAfter } = wanted;
  const names = new Map(slots.map((slot) => [slot.slotId, slot]));
  const { signals, reachMs } = await cachedOf(handle, scope, closedAfter, names);
  const [closedMs, madeMs] = [closedAfter.getTime(), madeAfter.getTime()];
  const made = signals.filter((signal) => signal.closesMs > closedMs && signal.createdMs > madeMs);
  // `madeAfter` may have removed cached signals; signals of still older candles may have been made after it, and count.
  if (made.length < MAX_CACHED_SIGNALS && reachMs > closedMs) {
    const limit = MAX_CACHED_SIGNALS - made.length;
    const closedBefore = new Date(reachMs + 1);
    made.push(
      ...(await listIssuedSignals(handle, { scope, closedAfter, closedBefore, madeAfter, limit }, names))
        .signals,
    );
  }
  return made.slice(0, MAX_CACHED_SIGNALS);
}

/** The cached signals of a scope, first updated, and extended back to `closedAfter` or up to the maximum number. */
async function cachedOf(
  handle: DatabaseHandle,
  scope: SlotScope,
  closedAfter: Date,
  names: ReadonlyMap<number, Slot>,
): Promise<Cached> {
  const scopes = cachedScopes();
  const key = JSON.stringify([scope.symbols, scope.timeframes, scope.parts]);
  const held = scopes.get(key);
  // Read the revision before the signals, so that the cached signals are at least as new as the revision.
  const revision = await readSignalsRevision(handle);
  const current = held && (await broughtUpToDate(handle, scope, held, revision, names));
  const cached = await reachingTo(
    handle,
    scope,
    closedAfter,
    current ?? { signals: [], reachMs: Number.POSITIVE_INFINITY, revision },
    names,
  );
  scopes.delete(key);
  scopes.set(key, cached);
  const [oldest] = scopes.keys();
  if (scopes.size > MAX_SCOPES && oldest !== undefined) scopes.delete(oldest);
  return cached;
}

/** The cached signals with newer ones and newer outcomes; null if all must be read again. */
async function broughtUpToDate(
  handle: DatabaseHandle,
  scope: SlotScope,
  held: Cached,
  revision: SignalsRevision,
  names: ReadonlyMap<number, Slot>,
): Promise<Cached | null> {
  const { seq, createdUs, outcomes, pauses } = held.revision;
  if (pauses !== revision.pauses || revision.seq < seq || revision.seq > seq + MAX_CACHED_SIGNALS)
    return null;
  if (revision.seq === seq && revision.createdUs === createdUs && revision.outcomes === outcomes) return held;
  // A signal's replacement and outcome are final once known.
  const open = held.signals.filter(({ label, replacedMs }) => label === null || replacedMs === null);
  const again = open.map(({ signalId }) => signalId);
  const wanted = {
    scope,
    closedAfter: new Date(held.reachMs),
    since: held.revision,
    again,
    limit: MAX_CACHED_SIGNALS,
  };
  const changed = await listChangedSignals(handle, wanted, names);
  if (changed === null) return null;
  const read = new Set([...again, ...changed.map(({ signalId }) => signalId)]);
  const signals = [...held.signals.filter(({ signalId }) => !read.has(signalId)), ...changed];
  return { ...shortened(signals.sort(newestFirst), held.reachMs), revision };
}

/** The cached signals extended by older ones, as far back as requested. */
async function reachingTo(
  handle: DatabaseHandle,
  scope: SlotScope,
  closedAfter: Date,
  cached: Cached,
  names: ReadonlyMap<number, Slot>,
): Promise<Cached> {
  const limit = MAX_CACHED_SIGNALS - cached.signals.length;
  if (cached.reachMs <= closedAfter.getTime() || limit <= 0) return cached;
  const closedBefore = Number.isFinite(cached.reachMs) ? new Date(cached.reachMs + 1) : null;
  const older = await listIssuedSignals(
    handle,
    { scope, closedAfter, closedBefore, madeAfter: new Date(0), limit },
    names,
  );
  const reachMs = older.cutMs === null ? closedAfter.getTime() : older.cutMs - 1;
  return { signals: [...cached.signals, ...older.signals], reachMs, revision: cached.revision };
}

/** Keeps the newest `MAX_CACHED_SIGNALS`, and all whose candle closed at the same time as that of the last one. */
function shortened(signals: readonly IssuedSignal[], reachMs: number): Pick<Cached, "signals" | "reachMs"> {
  const last = signals[MAX_CACHED_SIGNALS - 1];
  if (!last) return { signals, reachMs };
  const end = signals.findLastIndex(({ closesMs }) => closesMs === last.closesMs) + 1;
  return { signals: signals.slice(0, end), reachMs: last.closesMs - 1 };
}

const newestFirst = (a: IssuedSignal, b: IssuedSignal) => b.closesMs - a.closesMs || b.signalId - a.signalId;
