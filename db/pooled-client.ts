import type postgres from "postgres";
import { guardedTransaction } from "./guarded-transaction";

export interface ServerLimits {
  statementMs: number;
  lockMs: number;
}

/** How the driver sends a query and settles it; its types leave this out. */
interface Driven {
  handler(query: unknown): unknown;
  resolve(rows: unknown): void;
  reject(error: Error): void;
  isRaw?: "values" | true;
}

/**
 * The client for a pooler in transaction mode, such as PgBouncer, which refuses limits at the start of a connection and
 * gives every transaction another one: the limits are said at the head of each transaction, and a statement that stands
 * alone gets a transaction of its own.
 */
export function pooledClient(client: postgres.Sql, { statementMs, lockMs }: ServerLimits): postgres.Sql {
  // Not by set_config: a transaction that has asked anything can no longer choose its isolation.
  const limits = `
    set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs};
    set local idle_in_transaction_session_timeout = ${2 * statementMs}`;

  const begin = <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>): Promise<T> =>
    guardedTransaction(client, async (tx) => {
      await tx.unsafe(limits);
      return run(tx);
    });

  const alone = <Q extends Promise<unknown>>(
    query: Q,
    ask: (tx: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>,
  ): Q => {
    // A query is a promise that the driver sends through its `handler` when it is first waited for.
    const driven = query as unknown as Driven;
    driven.handler = () => {
      const inOwnTransaction = guardedTransaction(client, async (tx) => {
        const asked = ask(tx);
        // Sent one after the other without a wait between them.
        const [, rows] = await Promise.all([
          tx.unsafe(limits),
          driven.isRaw === "values" ? asked.values() : asked,
        ]);
        // In an object, because the driver would take the list apart.
        return { rows };
      });
      inOwnTransaction.then(
        ({ rows }) => driven.resolve(rows),
        (error: Error) => driven.reject(error),
      );
    };
    return query;
  };

  const unsafe: postgres.Sql["unsafe"] = (text, values, options) =>
    alone(client.unsafe(text, values, options), (tx) => tx.unsafe(text, values, options));

  return new Proxy(client, {
    get(target, name) {
      if (name === "unsafe") return unsafe;
      if (name === "begin") return begin;
      return Reflect.get(target, name);
    },
    apply(target, self, args) {
      const made = Reflect.apply(target, self, args);
      // Anything but a template of a statement is a part of one.
      return made instanceof Promise ? alone(made, (tx) => Reflect.apply(tx, self, args)) : made;
    },
  });
}
