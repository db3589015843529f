import type { Handle } from "@/db/client";
import {
  type IssuedSignal,
  type IssuedState,
  listChangedSignals,
  listIssuedSignals,
  readIssuedState,
} from "@/db/queries/own-record";
import type { Slot, SlotScope } from "@/db/queries/slots";
import { processWide } from "@/lib/runtime/process-wide";

/**
 * Caches the newest signals of each scope in the process. A signal and its outcome never change, and subscribers
 * of one scope share them. Each answer reads only newer signals.
 */

/** Maximum number of signals per scope, about 1.5 MB. */
export const MAX_SIGNALS = 6_000;
/** Maximum number of cached scopes; the least recently used one is evicted. */
const MAX_SCOPES = 16;

interface Cached {
  /** Newest close first; with equal closes, the last made first. */
  signals: readonly IssuedSignal[];
  /** The cache holds all signals that closed after this instant. */
  reachMs: number;
  state: IssuedState;
}

const cachedScopes = () => processWide("made-signals", () => new Map<string, Cached>());

/** The newest `MAX_SIGNALS` signals in scope that were created after one instant and whose candle closed after another; newest close first. */
export async function readMadeSignals(
  handle: Handle,
  wanted: { scope: SlotScope; closedAfter: Date; madeAfter: Date },
  slots: readonly Slot[],
): Promise<IssuedSignal[]> {
  const { scope, closedAfter, madeAfter } = wanted;
  const names = new Map(slots.map((slot) => [slot.slotId, slot]));
  const { signals, reachMs } = await cachedOf(handle, scope, closedAfter, names);
  const [closedMs, madeMs] = [closedAfter.getTime(), madeAfter.getTime()];
  const made = signals.filter((signal) => signal.closesMs > closedMs && signal.createdMs > madeMs);
  // Late subscribers may lack some signals, and older candles may have a signal that was made late.
  if (made.length < MAX_SIGNALS && reachMs > closedMs) {
    const limit = MAX_SIGNALS - made.length;
    const closedBefore = new Date(reachMs + 1);
    made.push(
      ...(await listIssuedSignals(handle, { scope, closedAfter, closedBefore, madeAfter, limit }, names))
        .signals,
    );
  }
  return made.slice(0, MAX_SIGNALS);
}

/** The current cached signals of a scope, back to an instant or up to the maximum. */
async function cachedOf(
  handle: Handle,
  scope: SlotScope,
  closedAfter: Date,
  names: ReadonlyMap<number, Slot>,
): Promise<Cached> {
  const scopes = cachedScopes();
  const key = JSON.stringify([scope.symbols, scope.timeframes, scope.parts]);
  const held = scopes.get(key);
  // Read before the signals, so that the cache is never older than its state.
  const state = await readIssuedState(handle);
  const current = held && (await broughtUpToDate(handle, scope, held, state, names));
  const cached = await reachingTo(
    handle,
    scope,
    closedAfter,
    current ?? { signals: [], reachMs: Number.POSITIVE_INFINITY, state },
    names,
  );
  scopes.delete(key);
  scopes.set(key, cached);
  const [oldest] = scopes.keys();
  if (scopes.size > MAX_SCOPES && oldest !== undefined) scopes.delete(oldest);
  return cached;
}

/** The cached signals with newer ones added; null if they must be read again. */
async function broughtUpToDate(
  handle: Handle,
  scope: SlotScope,
  held: Cached,
  state: IssuedState,
  names: ReadonlyMap<number, Slot>,
): Promise<Cached | null> {
  const { seq, createdUs, outcomes, pauses } = held.state;
  if (pauses !== state.pauses || state.seq < seq || state.seq > seq + MAX_SIGNALS) return null;
  if (state.seq === seq && state.createdUs === createdUs && state.outcomes === outcomes) return held;
  // A signal's replacement and outcome are final once known.
  const open = held.signals.filter(({ label, replacedMs }) => label === null || replacedMs === null);
  const again = open.map(({ signalId }) => signalId);
  const wanted = {
    scope,
    closedAfter: new Date(held.reachMs),
    since: held.state,
    again,
    limit: MAX_SIGNALS,
  };
  const changed = await listChangedSignals(handle, wanted, names);
  if (changed === null) return null;
  const read = new Set([...again, ...changed.map(({ signalId }) => signalId)]);
  const signals = [...held.signals.filter(({ signalId }) => !read.has(signalId)), ...changed];
  return { ...shortened(signals.sort(newestFirst), held.reachMs), state };
}

/** The cached signals extended by older ones, as far back as requested. */
async function reachingTo(
  handle: Handle,
  scope: SlotScope,
  closedAfter: Date,
  cached: Cached,
  names: ReadonlyMap<number, Slot>,
): Promise<Cached> {
  const limit = MAX_SIGNALS - cached.signals.length;
  if (cached.reachMs <= closedAfter.getTime() || limit <= 0) return cached;
  const closedBefore = Number.isFinite(cached.reachMs) ? new Date(cached.reachMs + 1) : null;
  const older = await listIssuedSignals(
    handle,
    { scope, closedAfter, closedBefore, madeAfter: new Date(0), limit },
    names,
  );
  const reachMs = older.cutMs === null ? closedAfter.getTime() : older.cutMs - 1;
  return { signals: [...cached.signals, ...older.signals], reachMs, state: cached.state };
}

/** Keeps the newest `MAX_SIGNALS`, and all that closed together with the last of them. */
function shortened(signals: readonly IssuedSignal[], reachMs: number): Pick<Cached, "signals" | "reachMs"> {
  const last = signals[MAX_SIGNALS - 1];
  if (!last) return { signals, reachMs };
  const end = signals.findLastIndex(({ closesMs }) => closesMs === last.closesMs) + 1;
  return { signals: signals.slice(0, end), reachMs: last.closesMs - 1 };
}

const newestFirst = (a: IssuedSignal, b: IssuedSignal) => b.closesMs - a.closesMs || b.signalId - a.signalId;
