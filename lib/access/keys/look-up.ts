import type postgres from "postgres";
import { askTwice, letGo } from "@/db/ask-twice";
import { SilentDatabaseError } from "@/db/breaker";
import { breaker, connect } from "@/db/client";
import { type FoundKey, findKeysByHash, type StateVersions } from "@/db/queries/keys";
import { processWide } from "@/lib/runtime/process-wide";
import { DeadlineError, withFreeDeadline } from "@/lib/runtime/unavailable";

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

/** A statement that has no answer after so long is sent once more, over a new connection. */
const LATE_MS = 500;
/** Longest wait for the answer to one statement before its callers are told 503. */
const DEADLINE_MS = 1_500;
/** Longest wait of a caller who came while a statement was under way that fell silent. */
const LONGEST_MS = 2_000;
/** What the next statement gets in any case: a new connection may have to be made for it. */
const LEAST_MS = 500;
/** A locked table is told at once: a call may wait for the statement under way and then for its own. */
const LIMITS = { statementMs: 1_400, lockMs: 200 };
/**
 * One at a time makes the largest batches; measured, it has the throughput of two and a third less p99 (decision 144).
 */
const MAX_STATEMENTS_UNDER_WAY = 1;
/** The second connection serves while the first has reached its age and is being replaced. */
const CONNECTIONS = 2;
const MAX_HASHES_PER_STATEMENT = 500;

/**
 * Looks every key up in PostgreSQL on every request, many at a time (decision 4).
 *
 * Look-ups that arrive while the statements under way are busy wait for the next one and share it. Nothing is
 * remembered between statements, so that the next request sees a revocation on every instance.
 */
class KeyLookupQueue {
  #client = connectToKeys();
  #openedAt = performance.now();
  #waiting: Waiting[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor() {
    breaker().onSilence((since) => {
      // A statement that is under way has an end of its own.
      if (this.#openedAt < since && this.#underWay === 0) this.#use(connectToKeys());
    });
  }

  find(hash: string): Promise<LookupResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, askedAt: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay >= MAX_STATEMENTS_UNDER_WAY) return;
    this.#scheduled = true;
    // After the events of this tick: requests that were read together are looked up together.
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    if (breaker().isOpen) {
      for (const waiting of this.#waiting.splice(0)) waiting.reject(new SilentDatabaseError());
      return;
    }
    const batch = this.#waiting.splice(0, MAX_HASHES_PER_STATEMENT);
    const [oldest] = batch;
    if (oldest === undefined) return;
    this.#underWay++;
    const startedAt = performance.now();
    const waitedMs = startedAt - oldest.askedAt;
    const deadlineMs = Math.min(DEADLINE_MS, Math.max(LEAST_MS, LONGEST_MS - waitedMs));
    const hashes = [...new Set(batch.map((waiting) => waiting.hash))];
    const asked = askTwice(this.#client, connectToKeys, LATE_MS, (client) => findKeysByHash(client, hashes));
    try {
      const { answer, client } = await breaker().during(() => withFreeDeadline(asked.answered, deadlineMs));
      for (const waiting of batch) {
        const key = answer.keys.get(waiting.hash) ?? null;
        waiting.resolve({ at: answer.at, versions: answer.versions, key });
      }
      if (client !== this.#client) this.#goOnWith(client, startedAt);
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
      if (error instanceof DeadlineError || error instanceof SilentDatabaseError) {
        asked.giveUp();
        this.#goOnWith(connectToKeys(), startedAt);
      }
    } finally {
      this.#underWay--;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  /**
   * Silent connections are dropped (decision 119). The database may be reachable again long before the network reports
   * them as dead. `since` is when the question was asked that they did not answer.
   */
  #goOnWith(client: postgres.Sql, since: number): void {
    this.#use(client);
    breaker().noteSilence(since);
  }

  #use(client: postgres.Sql): void {
    letGo(this.#client);
    this.#client = client;
    this.#openedAt = performance.now();
  }
}

function connectToKeys(): postgres.Sql {
  return connect(CONNECTIONS, LIMITS);
}

/** The key with this hash (null: unknown) and the versions of the shared state, as of now. */
export function lookUpKey(hash: string): Promise<LookupResult> {
  return processWide("key-lookup", () => new KeyLookupQueue()).find(hash);
}
