/** Error codes of Node, the driver and PostgreSQL that mean that the database is unavailable for now. */
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
 * SQLSTATE classes that mean that the database is unavailable for now: connection errors (also a pooler's, 08P01), lack
 * of resources, operator intervention (includes statement_timeout), and system errors of the server.
 */
const CLASSES = /^(?:08|53|57|58)[0-9A-Z]{3}$/;

/** Whether an error (or its cause) means that the database is unavailable. The request gets 503, not 500. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return hasCode(error, (code) => CODES.has(code) || CLASSES.test(code));
}

/** Whether PostgreSQL ended this transaction because it and another one waited for each other. */
export const isDeadlock = (error: unknown): boolean => hasCode(error, (code) => code === "40P01");

/** Whether the database does not exist yet: the embedded server answers before its first start has created one. */
export function isDatabaseMissing(error: unknown): boolean {
  return hasCode(error, (code) => code === "3D000");
}

/** Whether a statement hit the statement timeout: the server answers, but the query is too large. */
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

/** Longest time for answering a write, all waiting included; the specification promises three seconds. */
export const ANSWER_WITHIN_MS = 2_500;

/** The value of `promise`, or DeadlineError after `timeoutMs`: a socket that drops packets never fails by itself. */
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
