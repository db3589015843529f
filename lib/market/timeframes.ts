/**
 * The timeframes of MetaTrader 5: names, lengths, and where their candles begin.
 *
 * Candles are grouped on UTC. Weeks begin on Sunday 00:00 and months on the first, as in MetaTrader.
 */

import { DAY_MS, MINUTE_MS, WEEK_MS } from "@/lib/time";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";

/** 1970-01-04 00:00 UTC, the first Sunday after the epoch. */
const FIRST_SUNDAY_MS = 3 * DAY_MS;

/**
 * From shortest to longest. `minutes` of MN1 is MetaTrader's nominal 30 days.
 * `mql5` is the value of ENUM_TIMEFRAMES in MQL5; in MQL4 the value is `minutes`.
 */
const TIMEFRAME_TABLE = {
  M1: { minutes: 1, mql5: 1 },
  M2: { minutes: 2, mql5: 2 },
  M3: { minutes: 3, mql5: 3 },
  M4: { minutes: 4, mql5: 4 },
  M5: { minutes: 5, mql5: 5 },
  M6: { minutes: 6, mql5: 6 },
  M10: { minutes: 10, mql5: 10 },
  M12: { minutes: 12, mql5: 12 },
  M15: { minutes: 15, mql5: 15 },
  M20: { minutes: 20, mql5: 20 },
  M30: { minutes: 30, mql5: 30 },
  H1: { minutes: 60, mql5: 0x4001 },
  H2: { minutes: 120, mql5: 0x4002 },
  H3: { minutes: 180, mql5: 0x4003 },
  H4: { minutes: 240, mql5: 0x4004 },
  H6: { minutes: 360, mql5: 0x4006 },
  H8: { minutes: 480, mql5: 0x4008 },
  H12: { minutes: 720, mql5: 0x400c },
  D1: { minutes: 1440, mql5: 0x4018 },
  W1: { minutes: 10_080, mql5: 0x8001 },
  MN1: { minutes: 43_200, mql5: 0xc001 },
} as const satisfies Record<Timeframe, { minutes: number; mql5: number }>;

const TIMEFRAME_OF_NUMBER = new Map<number, Timeframe>(
  TIMEFRAMES.flatMap((timeframe): [number, Timeframe][] => [
    [TIMEFRAME_TABLE[timeframe].minutes, timeframe],
    [TIMEFRAME_TABLE[timeframe].mql5, timeframe],
  ]),
);

/** A timeframe as charting sites write it, the count before the unit (`1h`, `15m`, `1mn`), in upper case. */
const COUNT_FIRST = /^(\d{1,2})(M|H|D|W|MN)$/;

/**
 * The timeframe of a code such as `H1`, in upper or lower case, with or without white space around it; null for
 * anything else.
 */
export function parseTimeframe(text: string): Timeframe | null {
  const code = text.trim().toUpperCase();
  return TIMEFRAMES.find((timeframe) => timeframe === code) ?? null;
}

/**
 * A timeframe as trading clients write it: `H1`, `PERIOD_H1`, `1h`, minutes (60, "60") or the number that
 * MQL5 stores for it (16385). Null for anything else, and for `1M`, which is a minute to some and a month to others.
 */
export function parseBrokerTimeframe(value: unknown): Timeframe | null {
  if (typeof value === "number") return TIMEFRAME_OF_NUMBER.get(value) ?? null;
  if (typeof value !== "string") return null;

  const text = value.trim();
  if (/^\d{1,5}$/.test(text)) return TIMEFRAME_OF_NUMBER.get(Number(text)) ?? null;
  if (text === "1M") return null;

  const code = text.toUpperCase().replace(/^PERIOD_/, "");
  const countFirst = COUNT_FIRST.exec(code);
  return parseTimeframe(countFirst ? `${countFirst[2]}${countFirst[1]}` : code);
}

/** The error message for an unknown timeframe. */
export const UNKNOWN_TIMEFRAME_MESSAGE = `must be one of ${TIMEFRAMES.join(" ")}`;

/** Length in minutes; for MN1 the nominal 43,200. */
export function timeframeMinutes(timeframe: Timeframe): number {
  return TIMEFRAME_TABLE[timeframe].minutes;
}

/** Sort order, shortest first. */
export function compareTimeframes(a: Timeframe, b: Timeframe): number {
  return timeframeMinutes(a) - timeframeMinutes(b);
}

/** Sort order of stored codes, shortest first; unknown codes last. */
export function compareTimeframeCodes(a: string, b: string): number {
  const minutesOf = (code: string) => {
    const timeframe = parseTimeframe(code);
    return timeframe ? timeframeMinutes(timeframe) : Number.MAX_SAFE_INTEGER;
  };
  return minutesOf(a) - minutesOf(b);
}

/** The open time, in epoch ms, of the candle that holds the instant `atMs`. */
export function candleOpenMs(atMs: number, timeframe: Timeframe): number {
  if (timeframe === "MN1") {
    const at = new Date(atMs);
    return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  }
  if (timeframe === "W1") {
    return Math.floor((atMs - FIRST_SUNDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_SUNDAY_MS;
  }
  const lengthMs = timeframeMinutes(timeframe) * MINUTE_MS;
  return Math.floor(atMs / lengthMs) * lengthMs;
}

/** The close time, in epoch ms, of the candle that opens at `openMs`; a month ends where the next UTC month begins. */
export function candleCloseMs(openMs: number, timeframe: Timeframe): number {
  if (timeframe === "MN1") {
    const open = new Date(openMs);
    return Date.UTC(open.getUTCFullYear(), open.getUTCMonth() + 1, 1);
  }
  return openMs + timeframeMinutes(timeframe) * MINUTE_MS;
}

/** When the candle that opened at `openAt` closes. */
export function candleCloseAt(openAt: Date, timeframe: Timeframe): Date {
  return new Date(candleCloseMs(openAt.getTime(), timeframe));
}
