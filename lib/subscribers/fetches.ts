import { db } from "@/db/client";
import { type OwnAdvance, writeAdvances } from "@/db/queries/fetches";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { RecentMap } from "@/lib/runtime/recent-map";
import { afterFreeTime } from "@/lib/time";

/** Ways of asking that are remembered: ten thousand subscribers who ask for a history each of five slots. */
const MOST_REMEMBERED = 50_000;
/** Longest that an answer waits until an earlier one is written down. */
const PATIENCE_MS = 250;

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

/** What was shown to whom since the last write: one entry for each answer that showed something new. */
class FetchBuffer {
  #places = new RecentMap<string, Place>(MOST_REMEMBERED);
  #unwritten = new Map<number, OwnAdvance[]>();
  #beingWritten: Map<number, OwnAdvance[]> = new Map();
  #writing: Promise<void> | null = null;

  /**
   * Notes an answer; `newestSeq` is asked only when something was committed since the last one. Null, or a promise to
   * wait for before answering: a second fetch waits until the first is written down, so that a process killed at any
   * moment cannot leave a later one as the first.
   */
  note(shown: Shown, newestSeq: () => number | Promise<number>): Promise<void> | null {
    const { subscriptionId, way, slotId, minConfidence, reach, lastSeq } = shown;
    const id = `${subscriptionId}|${way}|${slotId}|${minConfidence}|${reach}`;
    const place = this.#places.get(id);
    if (place?.lastSeq === lastSeq) return this.#isUnwritten(subscriptionId, slotId) ? this.#written() : null;
    const upTo = newestSeq();
    if (typeof upTo === "number") return this.#advance(id, shown, upTo);
    return upTo.then(async (read) => {
      await this.#advance(id, shown, read);
    });
  }

  /** Notes an advance that the caller knows to be one. */
  add(advance: OwnAdvance): void {
    const noted = this.#unwritten.get(advance.subscriptionId);
    if (noted) noted.push(advance);
    else this.#unwritten.set(advance.subscriptionId, [advance]);
  }

  #advance(id: string, shown: Shown, upTo: number): Promise<void> | null {
    const { subscriptionId, way, slotId, minConfidence, reach, atMs, lastSeq } = shown;
    const wasUnwritten = this.#isUnwritten(subscriptionId, slotId);
    // Lower after a restored database or a narrowed scope: told again, which does no harm.
    const isNews = upTo > 0 && this.#places.get(id)?.upTo !== upTo;
    this.#places.set(id, { lastSeq, upTo });
    if (isNews) this.add({ subscriptionId, way, slotId, minConfidence, upTo, reach, atMs });
    return wasUnwritten ? this.#written() : null;
  }

  #isUnwritten(subscriptionId: number, slotId: number): boolean {
    return (
      overlaps(this.#unwritten.get(subscriptionId), slotId) ||
      overlaps(this.#beingWritten.get(subscriptionId), slotId)
    );
  }

  /** Writes at once. An answer never fails by it, nor waits for long. */
  async #written(): Promise<void> {
    let stop = () => {};
    const late = new Promise<void>((done) => {
      stop = afterFreeTime(PATIENCE_MS, done);
    });
    const written = this.flush().catch((error: unknown) =>
      log("warn", "fetches could not be written", { error: errorFacts(error) }),
    );
    await Promise.race([written, late]);
    stop();
  }

  /** Writes what was noted before the call. When that fails, all of it is kept for the next time. */
  async flush(): Promise<void> {
    // A write under way may have begun before what the caller noted.
    if (this.#writing) await this.#writing.catch(() => undefined);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const batch = [...this.#unwritten.values()].flat();
    this.#beingWritten = this.#unwritten;
    this.#unwritten = new Map();
    try {
      await writeAdvances(db(), batch);
    } catch (error) {
      for (const advance of batch) this.add(advance);
      throw error;
    } finally {
      this.#beingWritten = new Map();
    }
  }
}

/** Whether one of these shows signals of the slot; slot 0 stands for all of them. */
function overlaps(noted: OwnAdvance[] | undefined, slotId: number): boolean {
  if (noted === undefined) return false;
  return slotId === 0 || noted.some((one) => one.slotId === 0 || one.slotId === slotId);
}

export function fetches(): FetchBuffer {
  return processWide("fetches", () => new FetchBuffer());
}
