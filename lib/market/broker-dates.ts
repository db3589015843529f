/**
 * Instants as trading clients and people write them, read strictly.
 *
 * `new Date(text)` is never asked: it reads `2026.11.21 05:07` in the zone of the process and turns 30 February
 * into 2 March.
 */

export type BrokerDate = { ok: true; at: Date | null } | { ok: false; reason: string };

const MIN_YEAR = 1970;
const MAX_YEAR = 2100;
const MIN_MS = Date.UTC(MIN_YEAR, 0, 1);
const MAX_MS = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;
const DAY_MS = 86_400_000;

/** Numbers from here on are milliseconds: as seconds they would be past the year 5000, as milliseconds they are 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`;
const ZONE = String.raw`(?<zone>Z|(?<sign>[+-])(?<zoneHour>\d{2})(?::?(?<zoneMinute>\d{2}))?)?`;
const ISO = new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[T ]${TIME}${ZONE}$`);
const METATRADER = new RegExp(String.raw`^(?<year>\d{4})\.(?<month>\d{2})\.(?<day>\d{2}) ${TIME}$`);

/** MetaTrader's zero time, which brokers show shifted by the hours of their server. */
const ZERO_DATE = /^1970(?<separator>[-.])01\k<separator>01$/;
const EPOCH = /^\d{1,16}(?:\.\d{1,9})?$/;

const UNREADABLE =
  "is not a time: send ISO 8601, YYYY.MM.DD HH:MM:SS, or seconds or milliseconds since 1970, in UTC";
const IMPOSSIBLE = "is not a date and time that exists between 1970 and 2100";

const NOT_SET: BrokerDate = { ok: true, at: null };

/** The instant that the named groups of a match spell, or null when no such date or time exists. */
function instantOf(groups: Record<string, string | undefined>): Date | null {
  const number = (name: string) => Number(groups[name] ?? 0);
  const year = number("year");
  const month = number("month");
  const day = number("day");
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1) return null;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  if (number("hour") > 23 || number("minute") > 59 || number("second") > 59) return null;
  if (number("zoneHour") > 23 || number("zoneMinute") > 59) return null;

  const milliseconds = Number((groups.fraction ?? "").slice(0, 3).padEnd(3, "0"));
  const aheadMinutes = (groups.sign === "-" ? -1 : 1) * (number("zoneHour") * 60 + number("zoneMinute"));
  const atMs = Date.UTC(
    year,
    month - 1,
    day,
    number("hour"),
    number("minute") - aheadMinutes,
    number("second"),
    milliseconds,
  );
  return atMs < MIN_MS || atMs > MAX_MS ? null : new Date(atMs);
}

/**
 * `YYYY-MM-DDTHH:MM[:SS[.fff]]` with `Z`, an offset (`+02:00`, `+0200`, `+02`) or nothing, which means UTC;
 * a blank may stand for the `T`. Null for anything else, and for dates that do not exist or lie outside 1970..2100.
 */
export function parseIsoInstant(text: string): Date | null {
  const groups = ISO.exec(text.trim())?.groups;
  return groups ? instantOf(groups) : null;
}

function parseEpoch(value: number): BrokerDate {
  if (!Number.isFinite(value)) return { ok: false, reason: UNREADABLE };
  if (value < 0) return { ok: false, reason: IMPOSSIBLE };
  // The thousandth of a millisecond undoes the binary rounding of a fraction such as .123 before it is cut.
  const atMs = Math.floor(value < FIRST_MILLISECONDS ? value * 1000 + 0.001 : value);
  if (atMs < DAY_MS) return NOT_SET;
  return atMs > MAX_MS ? { ok: false, reason: IMPOSSIBLE } : { ok: true, at: new Date(atMs) };
}

/**
 * A time from a trading client: ISO 8601 as in `parseIsoInstant`, `YYYY.MM.DD HH:MM[:SS[.fff]]` in UTC, or seconds
 * or milliseconds since 1970 as a number or as digits. `at` is null when the client says "not set": null, undefined,
 * an empty text, 0, or any time on 1970-01-01.
 */
export function parseBrokerDate(value: unknown): BrokerDate {
  if (value === null || value === undefined) return NOT_SET;
  if (typeof value === "number") return parseEpoch(value);
  if (typeof value !== "string") return { ok: false, reason: UNREADABLE };

  const text = value.trim();
  if (text === "" || ZERO_DATE.test(text)) return NOT_SET;
  if (EPOCH.test(text)) return parseEpoch(Number(text));

  const groups = (ISO.exec(text) ?? METATRADER.exec(text))?.groups;
  if (!groups) return { ok: false, reason: UNREADABLE };
  if (ZERO_DATE.test(text.slice(0, 10))) return NOT_SET;
  const at = instantOf(groups);
  return at ? { ok: true, at } : { ok: false, reason: IMPOSSIBLE };
}
