import type postgres from "postgres";

/** The database did not answer within the limit. The rest of the service knows it by its code. */
export class SilentDatabaseError extends Error {
  readonly code = "DEADLINE";
  constructor() {
    super("the database did not answer in time");
    this.name = "SilentDatabaseError";
  }
}

/** The driver settles a query through this; its types leave it out. */
interface Settled {
  reject(error: Error): void;
}

/**
 * The client with an end to every wait: a statement or a transaction that has not ended after `limitMs` fails with
 * SilentDatabaseError, and `onSilence` hears of it. The driver's own limits end a connection that cannot be made and
 * the server's a statement that takes long; neither helps when the other side accepts and hangs up, or says nothing.
 *
 * What was given up may still happen when the database was only slow, as with any answer that is lost on its way; but a
 * transaction that has not reached its end by then is rolled back.
 */
export function limited(client: postgres.Sql, limitMs: number, onSilence: () => void): postgres.Sql {
  const startTimer = (fail: (error: Error) => void) =>
    setTimeout(() => {
      fail(new SilentDatabaseError());
      onSilence();
    }, limitMs);

  const limit = <Q extends Promise<unknown>>(query: Q): Q => {
    // A query is a promise with the driver's own means to settle it.
    const timer = startTimer((error) => (query as unknown as Settled).reject(error));
    const stop = () => clearTimeout(timer);
    query.then(stop, stop);
    return query;
  };
  const unsafe: postgres.Sql["unsafe"] = (text, values, options) =>
    limit(client.unsafe(text, values, options));

  const begin = <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>) =>
    new Promise((done, fail) => {
      let isLate = false;
      const timer = startTimer((error) => {
        isLate = true;
        fail(error);
      });
      const inTime = <V>(value: V): V => {
        if (isLate) throw new SilentDatabaseError();
        return value;
      };
      client
        .begin(async (tx) => inTime(await run(inTime(tx))))
        .then(done, fail)
        .finally(() => clearTimeout(timer));
    });

  return new Proxy(client, {
    get(target, name) {
      if (name === "unsafe") return unsafe;
      if (name === "begin") return begin;
      return Reflect.get(target, name);
    },
  });
}
