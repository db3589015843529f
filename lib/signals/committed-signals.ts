import { db } from "@/db/client";
import {
  findSignalBySeq,
  listNewestSignalsAfterSeq,
  listScopeSignalsBetweenSeqs,
  type NumberedSignal,
} from "@/db/queries/signal-sequence";
import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { processWide } from "@/lib/runtime/process-wide";

/** Maximum number of missed signals that a client gets. Of earlier ones it gets only the range of sequence numbers. */
export const MAX_REPLAYED = 1_000;
const KEPT = 2_000;

/** The signals that a client missed: those after the last sequence number that it has received. */
export interface MissedSignals {
  /** Ascending by sequence number, which is the order of commit. */
  signals: NumberedSignal[];
  /**
   * Sequence numbers (both inclusive) whose signals are left out, although at least one is in scope, because more than
   * MAX_REPLAYED signals were missed; null: nothing is left out.
   */
  gap: { from: number; to: number } | null;
}

/** Cache of the newest committed signals, read once for all clients of this process. */
class CommittedSignals {
  /** All live signals with sequence numbers above `#from` and up to `#upTo`, ascending. */
  #signals: NumberedSignal[] = [];
  #from = 0;
  #upTo = 0;
  #reading: Promise<void> | null = null;

  /** Reads signals into the cache until it includes the sequence number `upTo`, which must be committed. */
  async readUpTo(upTo: number): Promise<void> {
    while (this.#upTo < upTo) {
      this.#reading ??= this.#read(upTo).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
  }

  /**
   * The signals in scope with sequence numbers from `after` + 1 to `upTo`, which must be committed. Signals that were
   * created during a pause are left out.
   */
  async since(scope: Scope, after: number, upTo: number): Promise<MissedSignals> {
    await this.readUpTo(upTo);
    if (after >= this.#from) {
      const signals = this.#signals.filter(
        ({ seq, symbol, timeframe, heldBack }) =>
          seq > after && seq <= upTo && !heldBack && scopeIncludes(scope, symbol, timeframe),
      );
      if (signals.length <= MAX_REPLAYED) return { signals, gap: null };
    }
    const found = await listScopeSignalsBetweenSeqs(db(), { scope, after, upTo, limit: MAX_REPLAYED + 1 });
    if (found.length <= MAX_REPLAYED)
      return { signals: found.filter(({ heldBack }) => !heldBack), gap: null };
    const kept = found.slice(1);
    const signals = kept.filter(({ heldBack }) => !heldBack);
    return { signals, gap: { from: after + 1, to: (kept[0]?.seq ?? upTo) - 1 } };
  }

  async #read(upTo: number): Promise<void> {
    const after = Math.max(this.#upTo, upTo - KEPT);
    // Signals that are not live have sequence numbers, too, so there may be fewer signals than numbers, or none.
    const found = await listNewestSignalsAfterSeq(db(), { after, limit: KEPT });
    const [first] = found;
    const from = first && found.length === KEPT ? first.seq - 1 : after;
    const follows = from === this.#upTo;
    const all = follows ? [...this.#signals, ...found] : found;
    this.#signals = all.slice(-KEPT);
    const [oldest] = this.#signals;
    if (oldest && all.length > KEPT) this.#from = oldest.seq - 1;
    else if (!follows) this.#from = from;
    this.#upTo = Math.max(upTo, found.at(-1)?.seq ?? 0);
  }

  /** The signal with this sequence number; null: it is not cached. */
  cached(seq: number): NumberedSignal | null {
    return this.#signals.findLast((signal) => signal.seq === seq) ?? null;
  }

  /** The signal with this sequence number, from the cache or the database; null: no live signal has it. */
  async numbered(seq: number): Promise<NumberedSignal | null> {
    return this.cached(seq) ?? findSignalBySeq(db(), seq);
  }

  /** Clears the cache. Needed after a restore, because the database continues from an earlier sequence number. */
  forget(): void {
    this.#signals = [];
    this.#from = 0;
    this.#upTo = 0;
  }
}

export function signalReplayCache(): CommittedSignals {
  return processWide("committed-signals", () => new CommittedSignals());
}
