import { LRUCache } from "lru-cache";
import { db } from "@/db/client";
import { type OwnAdvance, writeAdvances } from "@/db/queries/fetches";
import { processWide } from "@/lib/runtime/process-wide";

/** Ways of asking that are remembered: ten thousand subscribers who ask for a history each of five slots. */
const MOST_REMEMBERED = 50_000;

/** An answer that shows everything in scope up to a number. */
export interface Shown extends Omit<OwnAdvance, "upTo"> {
  /** Number of the signal that was committed last when it was given. */
  lastSeq: number;
}

/** Up to where one way of asking has shown a subscription everything. */
interface Place {
  lastSeq: number;
  upTo: number;
}

/**
 * What was shown to whom since the last write, one entry for each answer that showed something new. It is written behind:
 * a process that is killed loses the last few seconds, and a signal shown in them counts as first fetched by the next
 * answer that shows it.
 */
class FetchBuffer {
  readonly #places = new LRUCache<string, Place>({ max: MOST_REMEMBERED });
  #unwritten: OwnAdvance[] = [];

  /** Notes an answer. `newestSeq` is asked only when something was committed since the last one. */
  async note(shown: Shown, newestSeq: () => number | Promise<number>): Promise<void> {
    const { lastSeq, ...advance } = shown;
    const { subscriptionId, way, slotId, minConfidence, reach } = advance;
    const id = `${subscriptionId}|${way}|${slotId}|${minConfidence}|${reach}`;
    if (this.#places.get(id)?.lastSeq === lastSeq) return;
    const upTo = await newestSeq();
    // Lower after a restored database or a narrowed scope: written again, which does no harm.
    if (upTo > 0 && this.#places.get(id)?.upTo !== upTo) this.add({ ...advance, upTo });
    this.#places.set(id, { lastSeq, upTo });
  }

  /** Notes an advance that the caller knows to be one. */
  add(advance: OwnAdvance): void {
    this.#unwritten.push(advance);
  }

  /** Writes all that was noted. When that fails, it is kept for the next time. */
  async flush(): Promise<void> {
    const batch = this.#unwritten;
    this.#unwritten = [];
    if (batch.length === 0) return;
    try {
      await writeAdvances(db(), batch);
    } catch (error) {
      this.#unwritten = [...batch, ...this.#unwritten];
      throw error;
    }
  }
}

export function fetches(): FetchBuffer {
  return processWide("fetches", () => new FetchBuffer());
}
