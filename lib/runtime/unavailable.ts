/** Error codes of Node, the driver, PostgreSQL and this service that mean that the database is unavailable for now. */
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
  // table missing: a new database is still being migrated
  "42P01",
  // lock_timeout, deadlock, read-only server, idle-in-transaction timeout
  "55P03",
  "40P01",
  "25006",
  "25P03",
  // limits of this service: deadline passed, no free connection in time
  "DEADLINE",
  "POOL_BUSY",
]);

/**
 * SQLSTATE classes that mean that the database is unavailable for now: connection errors (including 08P01 of a
 * connection pooler), lack of resources, operator intervention (includes statement_timeout), and system errors of the
 * server.
 */
const CLASSES = /^(?:08|53|57|58)[0-9A-Z]{3}$/;

/**
 * Whether an error or one of its causes means that the database is unavailable for now, so that the request gets 503
 * and not 500.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return hasCode(error, (code) => CODES.has(code) || CLASSES.test(code));
}

/** Whether PostgreSQL ended this transaction because of a deadlock with another one. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, (code) => code === "40P01");

/**
 * Whether the named database does not exist yet: at its first start, the embedded server answers before it has created
 * the database.
 */
export function isDatabaseMissing(error: unknown): boolean {
  return hasCode(error, (code) => code === "3D000");
}

/** Whether a statement hit the statement timeout: the database answers, but the query takes too long. */
export function isStatementTimeout(error: unknown): boolean {
  return hasCode(error, (code) => code === "57014");
}

function hasCode(error: unknown, wanted: (code: string) => boolean): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string" && wanted(current.code)) return true;
  }
  return false;
}

/** Thrown when an answer did not come in time. */
export class DeadlineError extends Error {
  readonly code = "DEADLINE";
  constructor() {
    super("the deadline passed");
    this.name = "DeadlineError";
  }
}

/** Longest time for answering a write, in ms, including all waiting. The specification promises three seconds. */
export const ANSWER_WITHIN_MS = 2_500;

/**
 * The value of `promise`. Throws DeadlineError after `timeoutMs`, because a socket whose packets are dropped does not
 * fail by itself.
 */
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
