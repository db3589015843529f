import { keyPool } from "@/db/client";
import { type FoundKey, findKeysByHash, type StateVersions } from "@/db/queries/keys";
import { processWide } from "@/lib/runtime/process-wide";

export interface KeyLookupResult {
  /** Time of the look-up by the database's clock. */
  at: Date;
  versions: StateVersions;
  key: FoundKey | null;
}

interface Waiting {
  hash: string;
  askedAt: number;
  resolve: (result: KeyLookupResult) => void;
  reject: (error: unknown) => void;
}

/** Limit, in ms, for a call's waiting time and its statement together. */
const LONGEST_MS = 2_000;
/** Shortest limit for a statement, in ms, however long its calls have waited: it may have to open a connection. */
const MIN_MS = 500;
const MAX_HASHES_PER_STATEMENT = 500;

/**
 * Looks up every key in PostgreSQL on every request, in batches.
 *
 * Calls that arrive during a statement wait for the next one and share it: one statement at a time makes the
 * largest batches. Nothing is cached between statements, so that every replica sees a revocation at the next
 * request.
 */
class KeyLookupQueue {
  #waiting: Waiting[] = [];
  #isBusy = false;

  find(hash: string): Promise<KeyLookupResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, askedAt: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // After the events of this tick, so that requests read together share a statement.
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
      const limitMs = Math.min(pool.options.limitMs, Math.max(MIN_MS, LONGEST_MS - waitedMs));
      const answer = await pool.run(limitMs, (client) => findKeysByHash(client, hashes));
      for (const { hash, resolve } of batch)
        resolve({ at: answer.at, versions: answer.versions, key: answer.keys.get(hash) ?? null });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** The key with this hash (null: unknown) and the present versions of signals, models and outcomes. */
export function lookUpKey(hash: string): Promise<KeyLookupResult> {
  return processWide("key-lookup", () => new KeyLookupQueue()).find(hash);
}
