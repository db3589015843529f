import type postgres from "postgres";
import { type Breaker, LOOK_EVERY_MS, SilentDatabaseError, SUSPICIOUS_MS } from "./breaker";
import { hasCause } from "./causes";
import { guardedTransaction } from "./guarded-transaction";
import { inOneTrip, inOneTripEach } from "./one-trip";
import { type Leave, type PlaceLimits, Places } from "./places";

export interface ClientLimits extends PlaceLimits {
  /** Longest time for one statement or transaction, once it has a connection. */
  limitMs: number;
  /** The same for what is under way when a connection of the process fell silent: it may have fallen silent with it. */
  limitInDoubtMs?: number;
}

/** How the driver sends a query and settles it; its types leave both out. */
interface Driven {
  handler(query: unknown): unknown;
  reject(error: Error): void;
}

/**
 * The client with a bounded queue in front of its connections, and with an end to every wait.
 *
 * A statement or a transaction takes a place first, so that no connection is given to two. One that has not ended
 * after `limitMs` fails with SilentDatabaseError; when the breaker opens, all fail at once. `onGiveUp` hears when these
 * connections are not to be used any more: one of them fell silent or was ended, or one of another client fell silent
 * while these, which may be as silent, are idle. The driver's own limits end a connection that cannot be made and the
 * server's a statement that takes long; neither helps when the other side accepts and hangs up, or says nothing.
 *
 * What was given up may still happen when the database was only slow, as with any answer that is lost on its way; but a
 * transaction that has not reached its end by then is rolled back.
 */
export function limited(
  client: postgres.Sql,
  limits: ClientLimits,
  breaker: Breaker,
  onGiveUp: () => void,
): postgres.Sql {
  const openedAt = performance.now();
  const places = new Places(limits);
  const giveUp = () => {
    stopListening();
    stopHearing();
    places.refuseWaiting(new SilentDatabaseError());
    onGiveUp();
  };
  const watch = new Watch(
    limits.limitMs,
    () => breaker.suspect(),
    (since) => {
      giveUp();
      breaker.noteSilence(since);
    },
  );
  const stopListening = breaker.onOpen(() => {
    watch.failAll();
    giveUp();
  });
  const stopHearing = breaker.onSilence((since) => {
    if (openedAt >= since) return;
    watch.limitUnderWay(limits.limitInDoubtMs ?? limits.limitMs);
    // Where somebody waits no connection is idle, and each of those at work has an end of its own.
    if (!places.isQueued) giveUp();
  });

  const end = (leave: Leave, error?: unknown) => {
    if (error === undefined) breaker.noteAnswer();
    leave(hasCause(error, (cause) => codeOf(cause) === LOCK_TIMEOUT));
    // The driver may never bring such a connection up again, or give its farewell to the next statement.
    if (hasCause(error, (cause) => BROKEN.includes(codeOf(cause)))) giveUp();
  };

  const bound = <Q extends Promise<unknown>>(query: Q): Q => {
    // A query is a promise that the driver sends through its `handler` when it is first waited for.
    const driven = query as unknown as Driven;
    const send = driven.handler;
    const go = (leave: Leave) => {
      const stopWatching = watch.begin((error) => driven.reject(error));
      query.then(
        () => {
          stopWatching();
          end(leave);
        },
        (error: unknown) => {
          stopWatching();
          end(leave, error);
        },
      );
      send(query);
    };
    driven.handler = () => {
      if (breaker.isOpen) return driven.reject(new SilentDatabaseError());
      const leave = places.take();
      if (leave) return go(leave);
      places.wait().then(go, (error: Error) => driven.reject(error));
    };
    return query;
  };
  const unsafe: postgres.Sql["unsafe"] = (text, values, options) =>
    bound(inOneTrip(client, client.unsafe(text, values, options), values));

  const begin = async <T>(run: (tx: postgres.TransactionSql) => T | Promise<T>): Promise<T> => {
    if (breaker.isOpen) throw new SilentDatabaseError();
    const leave = places.take() ?? (await places.wait());
    return new Promise<T>((done, fail) => {
      let isLate = false;
      const stopWatching = watch.begin((error) => {
        isLate = true;
        fail(error);
      });
      guardedTransaction(
        client,
        (tx) => run(inOneTripEach(client, tx)),
        () => {
          if (isLate) throw new SilentDatabaseError();
        },
      ).then(
        (value) => {
          stopWatching();
          end(leave);
          done(value);
        },
        (error: unknown) => {
          stopWatching();
          end(leave, error);
          fail(error);
        },
      );
    });
  };

  return new Proxy(client, {
    get(target, name) {
      if (name === "unsafe") return unsafe;
      if (name === "begin") return begin;
      return Reflect.get(target, name);
    },
  });
}

/** A statement waited longer for a lock than its pool allows. */
const LOCK_TIMEOUT = "55P03";

/** The connection could not be made in time, or the server ended it. */
const BROKEN: readonly unknown[] = ["CONNECT_TIMEOUT", "57P01", "57P02", "25P03", "25P04"];

const codeOf = (error: Error): unknown => ("code" in error ? error.code : undefined);

interface UnderWay {
  startedAt: number;
  limitMs: number;
  fail(error: Error): void;
}

/** What is under way over one client, by age. */
class Watch {
  /** In the order of their beginnings. */
  readonly #underWay = new Set<UnderWay>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    readonly limitMs: number,
    readonly onSuspicion: () => void,
    readonly onSilence: (since: number) => void,
  ) {}

  /** `fail` is called when it has not ended in time; the returned function says that it ended. */
  begin(fail: (error: Error) => void): () => void {
    const underWay = { startedAt: performance.now(), limitMs: this.limitMs, fail };
    this.#underWay.add(underWay);
    // After the events of its round: answers that came while this process was busy are read before anything is judged.
    this.#timer ??= setInterval(() => setImmediate(() => this.#judge()), LOOK_EVERY_MS);
    return () => this.#end(underWay);
  }

  /** Holds what is under way now to a shorter limit, where it has a longer one. */
  limitUnderWay(limitMs: number): void {
    for (const underWay of this.#underWay) underWay.limitMs = Math.min(underWay.limitMs, limitMs);
  }

  failAll(): void {
    for (const underWay of [...this.#underWay]) this.#fail(underWay);
  }

  #end(underWay: UnderWay): void {
    this.#underWay.delete(underWay);
    if (this.#underWay.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #fail(underWay: UnderWay): void {
    this.#end(underWay);
    underWay.fail(new SilentDatabaseError());
  }

  #judge(): void {
    const now = performance.now();
    let silentSince: number | null = null;
    for (const underWay of [...this.#underWay]) {
      const ageMs = now - underWay.startedAt;
      if (ageMs < Math.min(SUSPICIOUS_MS, underWay.limitMs)) break;
      if (ageMs < underWay.limitMs) this.onSuspicion();
      else {
        silentSince = underWay.startedAt;
        this.#fail(underWay);
      }
    }
    if (silentSince !== null) this.onSilence(silentSince);
  }
}
