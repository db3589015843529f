/** Places of the stream: the number of a signal, and by which history of the database it was given. */

/**
 * A place with a check has 15 digits: 9, ten of the number, four of the millisecond at which the signal was recorded. It
 * is a whole number, and grows with the signals, because clients in use read it as one. A plain number is a place too.
 */
const WITH_CHECK = 900_000_000_000_000;
const CHECKS = 10_000;

export interface Place {
  seq: number;
  /** Null: the client sent a plain number. */
  check: number | null;
}

export const checkOf = (recordedAt: Date): number => recordedAt.getTime() % CHECKS;

export function writePlace(seq: number, recordedAt: Date | null): number {
  return recordedAt === null ? seq : WITH_CHECK + seq * CHECKS + checkOf(recordedAt);
}

export function readPlace(sent: number): Place {
  if (sent < WITH_CHECK) return { seq: sent, check: null };
  const rest = sent - WITH_CHECK;
  return { seq: Math.floor(rest / CHECKS), check: rest % CHECKS };
}
