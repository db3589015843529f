import { createHash } from "node:crypto";
import { writeInstant } from "@/lib/wire/json";

/** Event ids of the stream: a signal's sequence number, with a check of the signal. */

/**
 * An id with a check has 15 digits: 9, ten digits of the number, four of a hash of the signal and its recording time.
 * Clients in use parse ids as growing integers. An id may also be the plain number.
 */
const WITH_CHECK = 900_000_000_000_000;
const CHECKS = 10_000;

export interface EventId {
  seq: number;
  /** Null: the client sent a plain number. */
  check: number | null;
}

/** The signal of an id. */
export interface EventSignal {
  seq: number;
  symbol: string;
  timeframe: string;
  ts: Date;
  modelV: string;
  signal: string;
  probBuy: number;
  probSell: number;
  probNo: number;
  createdAt: Date;
}

/** Changes if another signal, or a changed one, has the same number. */
export function eventChecksum(of: EventSignal): number {
  const { symbol, timeframe, ts, modelV, signal, probBuy, probSell, probNo, createdAt } = of;
  const said = [symbol, timeframe, writeInstant(ts), modelV, signal, probBuy, probSell, probNo];
  const hash = createHash("sha256")
    .update(JSON.stringify([...said, createdAt.getTime()]))
    .digest();
  return hash.readUInt32BE(0) % CHECKS;
}

/** The event id after a number; plain if its signal is unknown. */
export function encodeEventId(seq: number, signal: EventSignal | null): number {
  return signal === null ? seq : WITH_CHECK + seq * CHECKS + eventChecksum(signal);
}

export function decodeEventId(sent: number): EventId {
  if (sent < WITH_CHECK) return { seq: sent, check: null };
  const rest = sent - WITH_CHECK;
  return { seq: Math.floor(rest / CHECKS), check: rest % CHECKS };
}
