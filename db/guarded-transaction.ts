import type postgres from "postgres";

/** The driver settles a query through this; its types leave it out. */
interface Settled {
  reject(error: Error): void;
}

/** Errors of the driver about the statement itself, which leave its connection as it was. */
const ABOUT_THE_STATEMENT = new Set(["MAX_PARAMETERS_EXCEEDED", "UNDEFINED_VALUE", "COPY_IN_PROGRESS"]);

/** Whether a statement failed because its connection ended: anything that is not the server's answer to it. */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "PostgresError")
    return "severity" in error && (error.severity === "FATAL" || error.severity === "PANIC");
  return !("code" in error && typeof error.code === "string" && ABOUT_THE_STATEMENT.has(error.code));
}

/**
 * Runs a transaction, and keeps the driver from writing to a connection that the transaction has lost.
 *
 * The driver (3.4.9) ends a failed transaction with a rollback also when its connection is gone. That write goes to a
 * socket that is null, which ends the process, or leaves the connection unable to ever connect again, or lands in the
 * transaction of the caller who uses the connection next; so do statements that are sent after the loss. Here none is
 * sent, and the driver's transaction is left to wait for ever, which costs nothing: the server has rolled it back.
 *
 * `throwIfLate` is called before each statement and before the end; what it throws rolls the transaction back.
 */
export function guardedTransaction<T>(
  client: postgres.Sql,
  run: (tx: postgres.TransactionSql) => T | Promise<T>,
  throwIfLate: () => void = () => undefined,
): Promise<T> {
  return new Promise((done, fail) => {
    let loss: unknown = null;
    let isOver = false;
    const guarded = (tx: postgres.TransactionSql): postgres.TransactionSql => {
      const noting = <Q extends Promise<unknown>>(query: Q): Q => {
        // A query is a promise with the driver's own means to settle it.
        const settled = query as unknown as Settled;
        const { reject } = settled;
        settled.reject = (error) => {
          if (isConnectionLost(error)) {
            loss = error;
            end(() => fail(error));
          }
          reject(error);
        };
        return query;
      };
      const unsafe: postgres.Sql["unsafe"] = (text, values, options) => {
        if (isOver) throw loss ?? new Error("the transaction has ended");
        throwIfLate();
        return noting(tx.unsafe(text, values, options));
      };
      const savepoint = <V>(within: (tx: postgres.TransactionSql) => V | Promise<V>) =>
        tx.savepoint((inner) => sheltered(() => within(guarded(inner))));
      return new Proxy(tx, {
        get(target, name) {
          if (name === "unsafe") return unsafe;
          if (name === "savepoint") return savepoint;
          return Reflect.get(target, name);
        },
        apply(target, self, args) {
          const made = Reflect.apply(target, self, args);
          // Anything but a template of a statement is a part of one.
          return made instanceof Promise ? noting(made) : made;
        },
      });
    };
    /** Does not return once the transaction is over, so that the driver sends nothing more. */
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
    const end = (settle: () => void) => {
      isOver = true;
      settle();
    };
    client
      .begin((tx) =>
        sheltered(async () => {
          throwIfLate();
          const value = await run(guarded(tx));
          throwIfLate();
          return value;
        }),
      )
      // The driver's type unwraps arrays of promises, which no caller returns.
      .then(
        (value) => end(() => done(value as T)),
        (error: unknown) => end(() => fail(error)),
      );
  });
}

/** The client without limits, whose transactions survive the loss of their connection. */
export function guarding(client: postgres.Sql): postgres.Sql {
  const begin = <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>) => guardedTransaction(client, run);
  return new Proxy(client, {
    get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)),
  });
}
