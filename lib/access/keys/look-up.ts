import { keyPool } from "@/db/client";
import { type FoundKey, findKeysByHash, type StateVersions } from "@/db/queries/keys";
import { processWide } from "@/lib/runtime/process-wide";

export interface LookupResult {
  /** When it was, by the database's clock. */
  at: Date;
  versions: StateVersions;
  key: FoundKey | null;
}

interface Waiting {
  hash: string;
  askedAt: number;
  resolve: (result: LookupResult) => void;
  reject: (error: unknown) => void;
}

/** Longest wait of a call that came while a statement without an answer was under way. */
const LONGEST_MS = 2_000;
/** Least time for a statement: a new connection may have to be opened for it. */
const LEAST_MS = 500;
const MAX_HASHES_PER_STATEMENT = 500;

/**
 * Looks every key up in PostgreSQL on every request, many at a time.
 *
 * Calls that arrive while a statement is under way wait for the next one and share it: one statement at a time makes the
 * largest batches. Nothing is kept between statements, so the next request sees a revocation on every replica.
 */
class KeyLookupQueue {
  #waiting: Waiting[] = [];
  #isBusy = false;

  find(hash: string): Promise<LookupResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, askedAt: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // After the events of this tick: requests that were read together are looked up together.
    setImmediate(async () => {
      await this.#lookUp(this.#waiting.splice(0, MAX_HASHES_PER_STATEMENT));
      this.#isBusy = false;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #lookUp(batch: Waiting[]): Promise<void> {
    const waitedMs = performance.now() - Math.min(...batch.map(({ askedAt }) => askedAt));
    const hashes = [...new Set(batch.map(({ hash }) => hash))];
    try {
      const pool = keyPool();
      const limitMs = Math.min(pool.options.limitMs, Math.max(LEAST_MS, LONGEST_MS - waitedMs));
      const answer = await pool.run(limitMs, (client) => findKeysByHash(client, hashes));
      for (const { hash, resolve } of batch)
        resolve({ at: answer.at, versions: answer.versions, key: answer.keys.get(hash) ?? null });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** The key with this hash (null: unknown) and the versions of the shared state, as of now. */
export function lookUpKey(hash: string): Promise<LookupResult> {
  return processWide("key-lookup", () => new KeyLookupQueue()).find(hash);
}
