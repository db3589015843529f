import { db } from "@/db/client";
import {
  findSignalBySeq,
  listNewestSignalsAfterSeq,
  listScopeSignalsBetweenSeqs,
  type NumberedSignal,
} from "@/db/queries/signal-sequence";
import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { processWide } from "@/lib/runtime/process-wide";

/** Maximum number of missed signals that are replayed. Of earlier ones only the range of their numbers is given. */
export const MAX_REPLAYED = 1_000;
const KEPT = 2_000;

/** The signals that a client missed after the last number it has received. */
export interface CommittedBatch {
  /** In the order of commit. */
  signals: NumberedSignal[];
  /** Range of numbers whose signals are not replayed although some are in scope; null: none. */
  gap: { from: number; to: number } | null;
}

/** The newest committed signals, read once for all clients of this process. */
class CommittedSignals {
  /** All signals committed after `#from` up to `#upTo`, ascending. */
  #signals: NumberedSignal[] = [];
  #from = 0;
  #upTo = 0;
  #reading: Promise<void> | null = null;

  /** Reads the signals up to a committed number. */
  async readUpTo(upTo: number): Promise<void> {
    while (this.#upTo < upTo) {
      this.#reading ??= this.#read(upTo).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
  }

  /**
   * The signals in scope numbered from `after` + 1 to `upTo`, a committed number, without those made during a pause.
   */
  async since(scope: Scope, after: number, upTo: number): Promise<CommittedBatch> {
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
    const found = await listNewestSignalsAfterSeq(db(), { after, limit: KEPT });
    const first = found[0];
    const last = found.at(-1);
    if (first === undefined || last === undefined) throw new Error("committed signals are missing");
    const follows = this.#upTo > 0 && first.seq === this.#upTo + 1;
    const all = follows ? [...this.#signals, ...found] : found;
    this.#signals = all.slice(-KEPT);
    this.#from = (this.#signals[0]?.seq ?? 1) - 1;
    this.#upTo = last.seq;
  }

  /** The signal of a number, if it is in memory. */
  cached(seq: number): NumberedSignal | null {
    return this.#signals.findLast((signal) => signal.seq === seq) ?? null;
  }

  /** The signal of a number, from the database if it is not in memory; null: not stored. */
  async numbered(seq: number): Promise<NumberedSignal | null> {
    return this.cached(seq) ?? findSignalBySeq(db(), seq);
  }

  /** Clears the cache: a restored database continues from an earlier number. */
  forget(): void {
    this.#signals = [];
    this.#from = 0;
    this.#upTo = 0;
  }
}

export function committedSignals(): CommittedSignals {
  return processWide("committed-signals", () => new CommittedSignals());
}
