import { createHash } from "node:crypto";
import { writeInstant } from "@/lib/wire/json";

/** Event ids of the stream: a signal's sequence number, with a checksum of the signal. */

/**
 * The lowest id with a checksum. Such an id has 15 digits: a 9, ten digits of the sequence number, and four of a hash
 * of the signal and its creation time. It is an integer, because existing clients expect one, and increases with the
 * sequence number. An id without a checksum is the sequence number alone.
 */
const WITH_CHECK = 900_000_000_000_000;
const CHECKS = 10_000;

export interface EventId {
  seq: number;
  /** The checksum; null: the client sent a sequence number alone. */
  check: number | null;
}

/** The fields of a signal from which its checksum is computed. */
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

/** Four digits of a hash. They show whether a sequence number belongs to another signal, as after a restored backup. */
export function eventChecksum(of: EventSignal): number {
  const { symbol, timeframe, ts, modelV, signal, probBuy, probSell, probNo, createdAt } = of;
  const said = [symbol, timeframe, writeInstant(ts), modelV, signal, probBuy, probSell, probNo];
  const hash = createHash("sha256")
    .update(JSON.stringify([...said, createdAt.getTime()]))
    .digest();
  return hash.readUInt32BE(0) % CHECKS;
}

/** The event id for a signal's sequence number, without a checksum if the signal is unknown. */
export function encodeEventId(seq: number, signal: EventSignal | null): number {
  return signal === null ? seq : WITH_CHECK + seq * CHECKS + eventChecksum(signal);
}

export function decodeEventId(sent: number): EventId {
  if (sent < WITH_CHECK) return { seq: sent, check: null };
  const rest = sent - WITH_CHECK;
  return { seq: Math.floor(rest / CHECKS), check: rest % CHECKS };
}
