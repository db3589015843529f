import { afterFreeTime } from "@/lib/time";

/** Codes of the driver and of PostgreSQL that mean "not now" rather than "wrong". */
const CODES = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  // a connection that a pooler or the server refused or lost
  "08000",
  "08001",
  "08003",
  "08004",
  "08006",
  // a table that does not exist: a new database is still being migrated (decision 14)
  "42P01",
  // statement_timeout, lock_timeout, shutdown and crash, too many connections, disk full
  "57014",
  "55P03",
  "57P01",
  "57P02",
  "57P03",
  "53100",
  "53200",
  "53300",
  "25006",
  // the service's own limits: no answer in time, no connection free in time
  "DEADLINE",
  "POOL_BUSY",
]);

/**
 * Whether an error (or its cause) says that the database cannot answer now. A request that meets it gets 503, not 500.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return hasCode(error, (code) => CODES.has(code));
}

/** Whether there is no database of that name: the embedded one is made at its first start, after the server it is in answers. */
export function isDatabaseMissing(error: unknown): boolean {
  return hasCode(error, (code) => code === "3D000");
}

/** Whether a statement ran into the database's limit of its time: a server that answers, and too large a question. */
export function isTimeLimit(error: unknown): boolean {
  return hasCode(error, (code) => code === "57014");
}

function hasCode(error: unknown, wanted: (code: string) => boolean): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string" && wanted(current.code)) return true;
  }
  return false;
}

/** Thrown when something did not answer in time. */
export class DeadlineError extends Error {
  readonly code = "DEADLINE";
  constructor() {
    super("the deadline passed");
    this.name = "DeadlineError";
  }
}

/** Longest time in which a write may be answered, over everything that it waits for; the promise is three seconds. */
export const ANSWER_WITHIN_MS = 2_500;

type Countdown = (ms: number, done: () => void) => () => void;

const afterTime: Countdown = (ms, done) => {
  const timer = setTimeout(done, ms);
  return () => clearTimeout(timer);
};

/** The value of `promise`, or DeadlineError after `timeoutMs`: a socket that swallows data never answers by itself. */
export const withDeadline = <T>(promise: Promise<T>, timeoutMs: number): Promise<T> =>
  within(promise, timeoutMs, afterTime);

/** The same, counting only time in which this process was free to read the answer. */
export const withFreeDeadline = <T>(promise: Promise<T>, timeoutMs: number): Promise<T> =>
  within(promise, timeoutMs, afterFreeTime);

async function within<T>(promise: Promise<T>, timeoutMs: number, after: Countdown): Promise<T> {
  let callOff = () => {};
  const deadline = new Promise<never>((_, fail) => {
    callOff = after(timeoutMs, () => fail(new DeadlineError()));
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    callOff();
  }
}
