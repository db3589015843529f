import { db } from "@/db/client";
import {
  findNumbered,
  listCommittedInScope,
  listNewestCommitted,
  type NumberedSignal,
} from "@/db/queries/signal-sequence";
import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { processWide } from "@/lib/runtime/process-wide";

/** As many signals as one who missed them is sent; of earlier ones only the numbers are told. */
export const MOST_REPLAYED = 1_000;
const KEPT = 2_000;

/** What a reader of one scope gets who has seen everything up to a number. */
export interface Committed {
  /** In the order of commit. */
  signals: NumberedSignal[];
  /** Numbers among which more signals in scope lie than are replayed; null: none was left out. */
  gap: { from: number; to: number } | null;
}

/** The signals committed last, read once for all readers of this process. */
class CommittedSignals {
  /** All that were committed after `#from` up to `#upTo`, ascending. */
  #signals: NumberedSignal[] = [];
  #from = 0;
  #upTo = 0;
  #reading: Promise<void> | null = null;

  /** Reads on to a number that is committed. */
  async readUpTo(upTo: number): Promise<void> {
    while (this.#upTo < upTo) {
      this.#reading ??= this.#read(upTo).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
  }

  /** Signals in scope after one number, up to another that is committed, without those that were made in a pause. */
  async since(scope: Scope, after: number, upTo: number): Promise<Committed> {
    await this.readUpTo(upTo);
    if (after >= this.#from) {
      const signals = this.#signals.filter(
        ({ seq, symbol, timeframe, heldBack }) =>
          seq > after && seq <= upTo && !heldBack && scopeIncludes(scope, symbol, timeframe),
      );
      if (signals.length <= MOST_REPLAYED) return { signals, gap: null };
    }
    const found = await listCommittedInScope(db(), { scope, after, upTo, limit: MOST_REPLAYED + 1 });
    if (found.length <= MOST_REPLAYED)
      return { signals: found.filter(({ heldBack }) => !heldBack), gap: null };
    const kept = found.slice(1);
    const signals = kept.filter(({ heldBack }) => !heldBack);
    return { signals, gap: { from: after + 1, to: (kept[0]?.seq ?? upTo) - 1 } };
  }

  async #read(upTo: number): Promise<void> {
    const after = Math.max(this.#upTo, upTo - KEPT);
    const found = await listNewestCommitted(db(), { after, limit: KEPT });
    const first = found[0];
    const last = found.at(-1);
    if (first === undefined || last === undefined)
      throw new Error("signals that were committed are not there");
    const follows = this.#upTo > 0 && first.seq === this.#upTo + 1;
    const all = follows ? [...this.#signals, ...found] : found;
    this.#signals = all.slice(-KEPT);
    this.#from = (this.#signals[0]?.seq ?? 1) - 1;
    this.#upTo = last.seq;
  }

  /** The signal of a number, if it is kept here. */
  kept(seq: number): NumberedSignal | null {
    return this.#signals.findLast((signal) => signal.seq === seq) ?? null;
  }

  /** The same from the database where it is not; null: that signal is not stored. */
  async numbered(seq: number): Promise<NumberedSignal | null> {
    return this.kept(seq) ?? findNumbered(db(), seq);
  }

  /** Forgets what is kept: a database that was restored counts on from an earlier number. */
  forget(): void {
    this.#signals = [];
    this.#from = 0;
    this.#upTo = 0;
  }
}

export function committedSignals(): CommittedSignals {
  return processWide("committed-signals", () => new CommittedSignals());
}
