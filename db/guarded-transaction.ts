import type postgres from "postgres";

/** Codes of driver errors that concern only the statement: its connection still works. */
const ABOUT_THE_STATEMENT = new Set(["MAX_PARAMETERS_EXCEEDED", "UNDEFINED_VALUE", "COPY_IN_PROGRESS"]);

/** Whether an error ended the connection: a FATAL or PANIC of the server, or a driver error not in ABOUT_THE_STATEMENT. */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "PostgresError")
    return "severity" in error && (error.severity === "FATAL" || error.severity === "PANIC");
  return !("code" in error && typeof error.code === "string" && ABOUT_THE_STATEMENT.has(error.code));
}

type Unsafe = postgres.Sql["unsafe"];
type Send = (isValues: boolean) => PromiseLike<unknown>;

/**
 * A statement in the form that drizzle expects of the driver: it is awaited, optionally after a call of `values()`. It
 * is sent in a microtask, when it is known whether `values()` was called.
 */
export function deferredStatement<Q extends PromiseLike<unknown>>(send: Send): Q {
  let isValues = false;
  const answer = Promise.resolve().then(() => send(isValues));
  const values = () => {
    isValues = true;
    return answer;
  };
  // Drizzle uses only this part of the driver's type.
  return Object.assign(answer, { values }) as unknown as Q;
}

/** The rows of a statement of the driver: as objects, or as arrays if `isValues`. */
export const rowsOf = (query: ReturnType<Unsafe>, isValues: boolean): PromiseLike<unknown> =>
  isValues ? query.values() : query;

/**
 * Runs a transaction and keeps the driver from using a connection that the transaction has lost.
 *
 * The driver (3.4.9) sends a rollback after a failed transaction even if the connection is gone. That write goes to a
 * null socket, which crashes the process, or into the transaction of the connection's next user. The same would happen to
 * later statements of the transaction. So after a lost connection no statement is sent, the callback given to the driver
 * never settles, and the returned promise rejects. The server has rolled the transaction back itself.
 *
 * `throwIfOver` runs at the start, before each statement and before the commit; an error that it throws rolls the
 * transaction back.
 */
export function guardedTransaction<T>(
  client: postgres.Sql,
  run: (tx: postgres.TransactionSql) => T | Promise<T>,
  options: { throwIfOver?: () => void; prepare?: boolean } = {},
): Promise<T> {
  const { throwIfOver = () => undefined, prepare = false } = options;
  return new Promise((done, fail) => {
    let isOver = false;
    let loss: unknown = new Error("the transaction has ended");
    const lose = (error: unknown) => {
      if (!isOver) loss = error;
      isOver = true;
      fail(error);
    };
    const requireOpen = () => {
      if (isOver) throw loss;
      throwIfOver();
    };
    const guarded = (tx: postgres.TransactionSql): postgres.TransactionSql => {
      const unsafe: Unsafe = (text, values, statementOptions) =>
        deferredStatement(async (isValues) => {
          requireOpen();
          try {
            return await rowsOf(tx.unsafe(text, values, { ...statementOptions, prepare }), isValues);
          } catch (error) {
            if (isConnectionLost(error)) lose(error);
            throw error;
          }
        });
      const savepoint = async <V>(within: (tx: postgres.TransactionSql) => V | Promise<V>) => {
        requireOpen();
        let hasBegun = false;
        try {
          return await tx.savepoint((inner) => {
            hasBegun = true;
            return sheltered(() => within(guarded(inner)));
          });
        } catch (error) {
          if (!hasBegun && isConnectionLost(error)) lose(error);
          throw error;
        }
      };
      return new Proxy(tx, {
        get(target, name) {
          if (name === "unsafe") return unsafe;
          if (name === "savepoint") return savepoint;
          return Reflect.get(target, name);
        },
      });
    };
    /** Runs a step. Never settles once the transaction is over, so that the driver sends nothing more. */
    const sheltered = async <V>(step: () => V | Promise<V>): Promise<V> => {
      const never = () => new Promise<never>(() => undefined);
      try {
        const value = await step();
        return isOver ? await never() : value;
      } catch (error) {
        if (isOver) await never();
        throw error;
      }
    };
    client
      .begin((tx) =>
        sheltered(async () => {
          throwIfOver();
          const value = await run(guarded(tx));
          throwIfOver();
          return value;
        }),
      )
      .then(
        (value) => {
          isOver = true;
          // The driver's type unwraps arrays of promises, which no caller returns.
          done(value as T);
        },
        // Called with the error of `run`, BEGIN or COMMIT, or of a connection that ended between two statements.
        lose,
      );
  });
}

/** The client with guarded transactions, otherwise unchanged. */
export function withGuardedTransactions(client: postgres.Sql): postgres.Sql {
  const begin = <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>) => guardedTransaction(client, run);
  return new Proxy(client, {
    get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
  });
}
