import { LRUCache } from "lru-cache";
import { db } from "@/db/client";
import { recordSignalFetchAdvances, type SubscriptionSignalFetchAdvance } from "@/db/queries/signal-fetches";
import { processWide } from "@/lib/runtime/process-wide";

/**
 * Maximum number of remembered pairs of subscription and kind of request: enough for 10,000 subscribers that each read
 * the histories of five slots.
 */
const MAX_REMEMBERED = 50_000;

/** An answer that shows all signals in scope up to a sequence number. */
export interface SignalFetch extends Omit<SubscriptionSignalFetchAdvance, "upTo"> {
  /** Last committed sequence number at the time of the answer. */
  lastSeq: number;
}

/** The sequence number up to which one kind of request has shown a subscription every signal. */
interface Place {
  lastSeq: number;
  upTo: number;
}

/**
 * Buffers which signals were shown to which subscription since the last write: one entry per answer with new
 * signals. A killed process loses the last few seconds; their signals count as first fetched by the next answer
 * that shows them.
 */
class FetchBuffer {
  readonly #places = new LRUCache<string, Place>({ max: MAX_REMEMBERED });
  #unwritten: SubscriptionSignalFetchAdvance[] = [];

  /**
   * Records an answer. `newestSeq` is not called if no signal was committed since the last remembered answer of this
   * kind to the subscription.
   */
  async note(shown: SignalFetch, newestSeq: () => number | Promise<number>): Promise<void> {
    const { lastSeq, ...advance } = shown;
    const { subscriptionId, way, slotId, minConfidence, reach } = advance;
    const id = `${subscriptionId}|${way}|${slotId}|${minConfidence}|${reach}`;
    if (this.#places.get(id)?.lastSeq === lastSeq) return;
    const upTo = await newestSeq();
    // `upTo` can also become lower, after a restored database or a narrowed scope. Recording that is harmless.
    if (upTo > 0 && this.#places.get(id)?.upTo !== upTo) this.add({ ...advance, upTo });
    this.#places.set(id, { lastSeq, upTo });
  }

  /** Records that a subscription was shown signals up to `upTo`. The caller has checked that this is new. */
  add(advance: SubscriptionSignalFetchAdvance): void {
    this.#unwritten.push(advance);
  }

  /** Writes all entries, or keeps them if that fails. */
  async flush(): Promise<void> {
    const batch = this.#unwritten;
    this.#unwritten = [];
    if (batch.length === 0) return;
    try {
      await recordSignalFetchAdvances(db(), batch);
    } catch (error) {
      this.#unwritten = [...batch, ...this.#unwritten];
      throw error;
    }
  }
}

export function signalFetchBuffer(): FetchBuffer {
  return processWide("fetches", () => new FetchBuffer());
}
