import { drizzle } from "drizzle-orm/postgres-js";
import pLimit, { type LimitFunction } from "p-limit";
import type postgres from "postgres";
import { withQueueTimeout } from "@/lib/time";
import { type Breaker, UnresponsiveDatabaseError } from "./breaker";
import { hasCause } from "./causes";
import { deferredStatement, guardedTransaction, rowsOf } from "./guarded-transaction";

/** Thrown when too many callers wait for a connection of a pool, or when a caller has waited too long for one. */
export class BusyDatabaseError extends Error {
  readonly code = "POOL_BUSY";
  constructor() {
    super("no database connection became free in time");
    this.name = "BusyDatabaseError";
  }
}

export interface PoolOptions {
  /** Maximum number of connections. */
  max: number;
  /** Longest wait for a connection. */
  waitMs: number;
  /** Longest time until a statement is answered, including the wait for a connection. */
  limitMs: number;
  /** Longest duration of a transaction, including the wait for a connection. */
  transactionMs: number;
  /** Whether statements are prepared. A prepared statement lives as long as its connection. */
  prepare: boolean;
}

/** Maximum number of callers that wait for a connection. */
const MAX_WAITING = 2_000;
/** Time for work in progress on replaced connections: the default statement timeout of the `heavy` pool. */
const FAREWELL_SECONDS = 5;
/** Minimum time limit of work that has waited for its connection. */
const MIN_MS = 500;

/**
 * Error codes after which the pool opens new connections: the server ended the connection, or connecting timed out. The
 * driver may never reopen such a connection, or may fail its next statement with the old error.
 */
const BROKEN: readonly unknown[] = ["CONNECT_TIMEOUT", "57P01", "57P02", "25P03", "25P04"];

const isBroken = (error: unknown) =>
  hasCause(error, (cause) => "code" in cause && BROKEN.includes(cause.code));

const TEXT_ARRAY_OID = 1009;

/**
 * Whether the driver does not know PostgreSQL's array types, which it queries on each new connection. If that query
 * fails, the driver keeps the connection and sends arrays wrongly from then on.
 */
const lacksArrays = (client: postgres.Sql) => !(TEXT_ARRAY_OID in client.options.serializers);

/** Throws if the work has failed already, for example at its time limit. */
type ThrowIfOver = () => void;

/**
 * A connection pool with a bounded queue and a limit on every wait.
 *
 * Work that is not answered in time fails with UnresponsiveDatabaseError, and the pool continues on new connections. If
 * the database was only slow, a failed statement may still take effect, and so may a transaction whose COMMIT was sent.
 * Any other transaction is rolled back.
 */
export class Pool {
  readonly #limit: LimitFunction;
  #client: postgres.Sql;

  constructor(
    readonly options: PoolOptions,
    readonly breaker: Breaker,
    readonly open: () => postgres.Sql,
  ) {
    this.#limit = pLimit(options.max);
    this.#client = open();
  }

  /** Runs `work` on a connection of the pool. Throws BusyDatabaseError and UnresponsiveDatabaseError. */
  async run<T>(
    limitMs: number,
    work: (client: postgres.Sql, throwIfOver: ThrowIfOver) => Promise<T>,
  ): Promise<T> {
    if (this.breaker.isOpen) throw new UnresponsiveDatabaseError();
    if (this.#limit.activeCount < this.options.max) return this.#limit(() => this.#work(limitMs, work));
    if (this.#limit.pendingCount >= MAX_WAITING) throw new BusyDatabaseError();
    const startedAt = performance.now();
    const refuse = () => new BusyDatabaseError();
    return withQueueTimeout(this.#limit, this.options.waitMs, refuse, () => {
      const leftMs = limitMs - (performance.now() - startedAt);
      return this.#work(Math.max(MIN_MS, leftMs), work);
    });
  }

  async #work<T>(
    limitMs: number,
    work: (client: postgres.Sql, throwIfOver: ThrowIfOver) => Promise<T>,
  ): Promise<T> {
    const client = this.#client;
    let isOver = false;
    const throwIfOver = () => {
      if (isOver) throw new UnresponsiveDatabaseError();
    };
    try {
      return await this.breaker.during(limitMs, () => work(client, throwIfOver));
    } catch (error) {
      isOver = true;
      if (error instanceof UnresponsiveDatabaseError || isBroken(error) || lacksArrays(client))
        this.#replace(client);
      throw error;
    }
  }

  /** Continues on new connections. Work in progress on the old ones has five seconds to finish. */
  replace(): void {
    this.#replace(this.#client);
  }

  #replace(client: postgres.Sql): void {
    if (client !== this.#client) return;
    this.#client = this.open();
    // For its side effect: drizzle() sets the value parsers of the client.
    drizzle(this.#client);
    void client.end({ timeout: FAREWELL_SECONDS }).catch(() => undefined);
  }

  async end(seconds: number): Promise<void> {
    await this.#client.end({ timeout: seconds });
  }

  /** The client for drizzle: statements and transactions go through the pool and use its current connections. */
  get client(): postgres.Sql {
    const { prepare, limitMs, transactionMs } = this.options;
    const unsafe: postgres.Sql["unsafe"] = (text, values, statementOptions) =>
      deferredStatement((isValues) =>
        this.run(limitMs, async (client) =>
          rowsOf(client.unsafe(text, values, { ...statementOptions, prepare }), isValues),
        ),
      );
    const begin = <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>) =>
      this.run(transactionMs, (client, throwIfOver) =>
        guardedTransaction(client, run, { throwIfOver, prepare }),
      );
    return new Proxy(this.#client, {
      get: (_, name) => {
        if (name === "unsafe") return unsafe;
        if (name === "begin") return begin;
        return Reflect.get(this.#client, name);
      },
      apply: (_, self, args) => Reflect.apply(this.#client, self, args),
    });
  }
}
