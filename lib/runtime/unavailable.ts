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
  // a table that does not exist: a new database is still being migrated
  "42P01",
  // lock_timeout, a server that takes no writes, a transaction that waited too long for its next statement
  "55P03",
  "25006",
  "25P03",
  // the service's own limits: no answer in time, no connection free in time
  "DEADLINE",
  "POOL_BUSY",
]);

/**
 * Classes of SQLSTATE that mean the same: the connection (also a pooler's, 08P01), resources, an operator's intervention
 * (with statement_timeout), and failures of the system around the server.
 */
const CLASSES = /^(?:08|53|57|58)[0-9A-Z]{3}$/;

/**
 * Whether an error (or its cause) says that the database cannot answer now. A request that meets it gets 503, not 500.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return hasCode(error, (code) => CODES.has(code) || CLASSES.test(code));
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

/** The value of `promise`, or DeadlineError after `timeoutMs`: a socket that swallows data never answers by itself. */
export async function withDeadline<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new DeadlineError()), timeoutMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
