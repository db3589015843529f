/**
 * A strict parser for times that trading clients send and uploaded files contain.
 *
 * `new Date(text)` is not used because it reads `2026.11.21 05:07` in the process's time zone and turns
 * 30 February into 2 March.
 */

import {
  DAY_MS,
  ISO_INSTANT_PATTERN,
  instantOfParts,
  LATEST_INSTANT_MS,
  TIME_OF_DAY_PATTERN,
} from "@/lib/time";

/**
 * A parsed time; `at` is null if the client says that it is not set. `reason` follows the name of the field in an
 * error.
 */
export type BrokerDateResult = { ok: true; at: Date | null } | { ok: false; reason: string };

/** Numbers from here on are milliseconds since 1970 (from 1973 on); smaller ones are seconds (up to the year 5138). */
const FIRST_MILLISECONDS = 100_000_000_000;

const METATRADER = new RegExp(
  String.raw`^(?<year>\d{4})\.(?<month>\d{2})\.(?<day>\d{2}) ${TIME_OF_DAY_PATTERN}$`,
);

/** The date of MetaTrader's zero time, which means "not set". Any time of day on this date is treated like it. */
const ZERO_DATE = /^1970(?<separator>[-.])01\k<separator>01$/;
const EPOCH = /^\d{1,16}(?:\.\d{1,9})?$/;

const UNREADABLE =
  "is not a time: send ISO 8601, YYYY.MM.DD HH:MM:SS, or seconds or milliseconds since 1970, in UTC";
const IMPOSSIBLE = "is not a date and time that exists between 1970 and 2100";

const NOT_SET: BrokerDateResult = { ok: true, at: null };

function parseEpoch(value: number): BrokerDateResult {
  if (!Number.isFinite(value)) return { ok: false, reason: UNREADABLE };
  if (value < 0) return { ok: false, reason: IMPOSSIBLE };
  // A fraction such as .123 is stored slightly too small; adding a microsecond keeps `floor` from losing a millisecond.
  const atMs = Math.floor(value < FIRST_MILLISECONDS ? value * 1000 + 0.001 : value);
  if (atMs < DAY_MS) return NOT_SET;
  return atMs > LATEST_INSTANT_MS ? { ok: false, reason: IMPOSSIBLE } : { ok: true, at: new Date(atMs) };
}

/**
 * A time from a trading client or an uploaded file: ISO 8601 as in `parseIsoInstant`, `YYYY.MM.DD HH:MM[:SS[.fff]]` in
 * UTC, or seconds or milliseconds since 1970 as a number or as digits. `at` is null when the client says "not set":
 * null, undefined, an empty text, 0, or any time on 1970-01-01.
 */
export function parseBrokerDate(value: unknown): BrokerDateResult {
  if (value === null || value === undefined) return NOT_SET;
  if (typeof value === "number") return parseEpoch(value);
  if (typeof value !== "string") return { ok: false, reason: UNREADABLE };

  const text = value.trim();
  if (text === "" || ZERO_DATE.test(text)) return NOT_SET;
  if (EPOCH.test(text)) return parseEpoch(Number(text));

  const groups = (ISO_INSTANT_PATTERN.exec(text) ?? METATRADER.exec(text))?.groups;
  if (!groups) return { ok: false, reason: UNREADABLE };
  if (ZERO_DATE.test(text.slice(0, 10))) return NOT_SET;
  const at = instantOfParts(groups);
  return at ? { ok: true, at } : { ok: false, reason: IMPOSSIBLE };
}
