import { z } from "zod";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { parseBrokerTimeframe } from "@/lib/market/timeframes";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import type { Side } from "@/lib/vocabulary";
import type { AppError } from "./errors";
import { writeNumber } from "./json";
import { parseValue } from "./params";

const MAX_TICKET = 9_223_372_036_854_775_807n;
const FUTURE_HOURS = 26;

/** Whether a value means "none". Trading clients send null, nothing, or blank text. */
const isBlank = (value: unknown) =>
  value === null || value === undefined || (typeof value === "string" && value.trim() === "");

/** The form of a field in the OpenAPI document. The parser accepts more. */
type Wire = Record<string, unknown>;

/**
 * A field of a report. `read` returns the value or a Problem, and is not called for a blank value, which becomes null.
 * `wire` is the form of the field in the OpenAPI document.
 */
function field<T>(wire: Wire, read: (value: unknown) => T | Problem) {
  return z
    .unknown()
    .optional()
    .transform((value, context): T | null => {
      if (isBlank(value)) return null;
      const result = read(value);
      if (result instanceof Problem) {
        context.addIssue({ code: "custom", message: result.message });
        return z.NEVER;
      }
      return result;
    })
    .meta({ wire });
}

class Problem {
  constructor(readonly message: string) {}
}

const TICKET: Wire = {
  type: ["integer", "string"],
  description:
    "Position ticket, 1 to 9223372036854775807; send it as text if your client would round it as a number",
  example: 1234567890123,
};

const EXPONENT = /^[+-]?[0-9.]+[eE][+-]?[0-9]+$/;

const ticket = field<bigint>(TICKET, (value) => {
  if (typeof value === "string" && EXPONENT.test(value.trim()))
    return new Problem('is in exponent form and has lost digits: send it as text, such as "123456789"');
  // The JSON reader returns long integers as text. A long value that is still a number had a fraction and is already
  // rounded.
  const exact = typeof value === "number" && Number.isSafeInteger(value);
  const digits = typeof value === "string" ? value.trim() : exact ? String(value) : "";
  if (!/^[0-9]{1,19}$/.test(digits))
    return new Problem("must be a positive integer, as a number or as digits");
  const number = BigInt(digits);
  if (number === 0n || number > MAX_TICKET) return new Problem("must be between 1 and 9223372036854775807");
  return number;
});

const PRED_ID: Wire = { type: ["integer", "null"], description: "`pred_id` of the followed signal" };

const predId = field<number | null>(PRED_ID, (value) => {
  // A number in exponent form has lost digits and could name another signal: the report is stored without it.
  if (typeof value === "string" && EXPONENT.test(value.trim())) return null;
  const number = typeof value === "string" && /^-?[0-9]{1,19}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < -1)
    return new Problem("must be an integer");
  return number > 0 && Number.isSafeInteger(number) ? number : null;
});

const DECIMAL_COMMA = /^-?[0-9]+,[0-9]+$/;
const NOT_A_COMMA = "must have a decimal point, not a comma";

/**
 * A decimal as text. Text in plain notation keeps the digits that were sent; a JSON number, and text with an exponent
 * or a plus sign, is written as the nearest double.
 */
const decimal = field<string>({ type: ["number", "string", "null"] }, (value) => {
  if (typeof value === "number")
    return Number.isFinite(value) && Math.abs(value) < 1e15
      ? writeNumber(value)
      : new Problem("is too large");
  if (typeof value !== "string") return new Problem("must be a number");
  const text = value.trim();
  if (DECIMAL_COMMA.test(text)) return new Problem(NOT_A_COMMA);
  if (!/^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$/.test(text) || text.length > 40)
    return new Problem(Math.abs(Number(text)) >= 1e15 ? "is too large" : "must be a number");
  if (Math.abs(Number(text)) >= 1e15) return new Problem("is too large");
  return /[eE+]/.test(text) ? writeNumber(Number(text)) : text;
});

const confidence = field<number>({ type: ["number", "null"], minimum: 0, maximum: 1 }, (value) => {
  const number =
    typeof value === "string" && /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(value.trim())
      ? Number(value)
      : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    return new Problem(
      typeof value === "string" && DECIMAL_COMMA.test(value.trim()) ? NOT_A_COMMA : "must be a number",
    );
  return number >= 0 && number <= 1 ? number : new Problem("must be between 0 and 1");
});

const SYMBOL: Wire = {
  type: ["string", "null"],
  maxLength: 40,
  description: "Symbol in the broker's spelling",
  example: "EURUSD",
};

/** A symbol as text in any script, because a report must not be refused for the broker's spelling. */
const symbol = field<string | null>(SYMBOL, (value) => {
  if (typeof value !== "string") return new Problem("must be a symbol such as EURUSD");
  const name = value.replaceAll(/\p{Cc}/gu, "").trim();
  return name.length <= 40 ? name || null : new Problem("must have at most 40 characters");
});

const TIMEFRAME: Wire = {
  type: ["string", "integer", "null"],
  description:
    "A MetaTrader 5 timeframe in any spelling, or another label of 1 to 8 letters and digits for range bars and custom charts",
  example: "H1",
};

const timeframe = field<string>(TIMEFRAME, (value) => {
  const known = parseBrokerTimeframe(value);
  if (known !== null) return known;
  const label = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return /^[A-Za-z0-9]{1,8}$/.test(label)
    ? label.toUpperCase()
    : new Problem("must be a timeframe such as H1, PERIOD_H1 or 60, or a label of 1 to 8 letters and digits");
});

const DIRECTIONS: Record<string, Side> = {
  BUY: "BUY",
  LONG: "BUY",
  OP_BUY: "BUY",
  ORDER_TYPE_BUY: "BUY",
  POSITION_TYPE_BUY: "BUY",
  "0": "BUY",
  SELL: "SELL",
  SHORT: "SELL",
  OP_SELL: "SELL",
  ORDER_TYPE_SELL: "SELL",
  POSITION_TYPE_SELL: "SELL",
  "1": "SELL",
};

const direction = field<Side>({ type: ["string", "integer", "null"], example: "BUY" }, (value) => {
  const word = String(typeof value === "string" || typeof value === "number" ? value : "")
    .trim()
    .toUpperCase();
  return (
    (Object.hasOwn(DIRECTIONS, word) ? DIRECTIONS[word] : undefined) ?? new Problem("must be BUY or SELL")
  );
});

const result = field<string>({ type: ["string", "null"], maxLength: 32, example: "TP" }, (value) => {
  if (typeof value !== "string" && typeof value !== "number") return new Problem("must be text such as TP");
  const word = String(value).trim().toUpperCase();
  return word.length <= 32 && !/\p{Cc}/u.test(word) ? word : new Problem("must have at most 32 characters");
});

/**
 * A field that former releases ignored. An unreadable value becomes null and does not refuse the report, because
 * existing clients may send other content under this name.
 */
function detail<T>(wire: Wire, read: (value: unknown) => T | Problem) {
  return field<T | null>(wire, (value) => {
    const found = read(value);
    return found instanceof Problem ? null : found;
  });
}

const readDecimal = (value: unknown): string | Problem => {
  const parsed = decimal.safeParse(value);
  return parsed.success && parsed.data !== null ? parsed.data : new Problem("");
};

const volume = detail<string>(
  { type: ["number", "string", "null"], description: "Lots", example: 0.1 },
  (value) => {
    const lots = readDecimal(value);
    return lots instanceof Problem || Number(lots) <= 0 ? new Problem("") : lots;
  },
);
const amount = (description: string) =>
  detail<string>({ type: ["number", "string", "null"], description }, readDecimal);
const currency = detail<string>(
  { type: ["string", "null"], description: "Currency of the account and of all amounts", example: "EUR" },
  (value) => {
    const code = typeof value === "string" ? value.trim().toUpperCase() : "";
    return /^[A-Z][A-Z0-9]{2,7}$/.test(code) ? code : new Problem("");
  },
);
const magic = detail<string>(
  {
    type: ["integer", "string", "null"],
    description: "Magic number by which a client recognises its own positions",
  },
  (value) => {
    const isExact = typeof value === "number" && Number.isSafeInteger(value);
    const digits = typeof value === "string" ? value.trim() : isExact ? String(value) : "";
    return /^-?[0-9]{1,20}$/.test(digits) ? digits : new Problem("");
  },
);
const MAX_COMMENT = 64;
const comment = detail<string>(
  { type: ["string", "null"], description: "Comment; the first 64 characters are stored" },
  (value) =>
    typeof value === "string" && !/\p{Cc}/u.test(value.trim())
      ? [...value.trim()].slice(0, MAX_COMMENT).join("")
      : new Problem(""),
);

/**
 * Arrival time of the report that is being parsed, which limits times in the future. Module state is safe here, because
 * parsing is synchronous; creating a schema for each report took ten times as long as parsing it.
 */
const reading = { at: new Date("9999-01-01T00:00:00Z") };

/** A time, or null for each of the ways in which MQL writes "not set". */
const instant = z
  .unknown()
  .optional()
  .transform((value, context): Date | null => {
    const date = parseBrokerDate(value);
    const problem = !date.ok
      ? date.reason
      : date.at && date.at.getTime() > reading.at.getTime() + FUTURE_HOURS * HOUR_MS
        ? `must not be more than ${FUTURE_HOURS} hours ahead`
        : null;
    if (problem !== null || !date.ok) {
      context.addIssue({ code: "custom", message: problem ?? "is not a date and time" });
      return z.NEVER;
    }
    return date.at;
  })
  .meta({ wire: { type: ["string", "integer", "null"], example: "2026-11-20T10:00:00Z" } });

/** The schema of a report for the OpenAPI document; `readExecutionReport` parses one. */
export const executionReportSchema = z
  .object(
    {
      ticket,
      pred_id: predId,
      symbol,
      timeframe,
      signal: direction,
      confidence,
      opened_at: instant,
      closed_at: instant,
      entry_price: decimal,
      exit_price: decimal,
      pnl: decimal,
      result,
      volume,
      commission: amount("In the currency of the account; a charge is less than 0"),
      swap: amount("In the currency of the account"),
      currency,
      magic,
      comment,
    },
    "must be one JSON object: send one report per request",
  )
  .meta({ wireRequired: ["ticket"] })
  .transform((body, context) => {
    const { ticket, pred_id, opened_at, closed_at, entry_price, exit_price, ...said } = body;
    if (ticket === null) {
      context.addIssue({ code: "custom", path: ["ticket"], message: "is required" });
      return z.NEVER;
    }
    const couldOpen = said.symbol !== null && said.timeframe !== null && said.signal !== null;
    return {
      /** The symbol in the broker's spelling, and the other fields whose name stays the same. */
      ...said,
      ticket,
      predId: pred_id,
      openedAt: opened_at,
      closedAt: closed_at,
      entryPrice: entry_price,
      // MQL has no empty price: 0 without a closing time means that there is no exit yet.
      exitPrice: closed_at === null && Number(exit_price) === 0 ? null : exit_price,
      /**
       * Whether the times contradict each other, as when a broker's clock is sent as UTC. Such times are stored, but
       * durations are not computed from them.
       */
      clockSuspect:
        (opened_at !== null && closed_at !== null && isClosedBeforeOpening(closed_at, opened_at)) ||
        (opened_at !== null && opened_at.getTime() > reading.at.getTime() + CLOCK_TOLERANCE_MS),
      /**
       * Whether the report describes an open position, so that it must not change a position that is already closed.
       */
      saysOpen: closed_at === null && couldOpen,
    };
  });

/** Largest difference in ms that counts as clock drift; time zones of brokers differ by half an hour or more. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

/**
 * Whether a position was closed before it was opened. A close within the second of the opening is not, because clients
 * send whole seconds.
 */
export const isClosedBeforeOpening = (closedAt: Date, openedAt: Date): boolean =>
  closedAt.getTime() < Math.floor(openedAt.getTime() / SECOND_MS) * SECOND_MS;

export type ExecutionReport = z.output<typeof executionReportSchema>;

/** Parses one report that arrived at `cameAt`. Throws validation_failed. */
export function readExecutionReport(value: unknown, cameAt: Date): ExecutionReport {
  reading.at = cameAt;
  return parseValue("body", executionReportSchema, value);
}

/** Fields that only the first report of a ticket stores, by their name in the JSON. */
const OPENING_FIELDS: ReadonlySet<unknown> = new Set([
  ...["symbol", "timeframe", "signal", "confidence", "opened_at", "entry_price", "pred_id"],
]);

/**
 * The closing in a report that was refused only for fields which a ticket's first report stores, so that the close of a
 * known position is not lost over them. null if another field is invalid, or if the report closes nothing.
 */
export function readClosingOfRefused(
  value: unknown,
  refusal: AppError,
  cameAt: Date,
): ExecutionReport | null {
  const wrong = (refusal.errors ?? []).map(({ loc }) => loc[1]);
  if (wrong.length === 0 || !wrong.every((name) => OPENING_FIELDS.has(name))) return null;
  const rest = Object.entries(value as Record<string, unknown>).filter(([name]) => !wrong.includes(name));
  const report = readExecutionReport(Object.fromEntries(rest), cameAt);
  // Without a timeframe the report cannot open a position. Its symbol stays, to identify the position.
  return report.closedAt === null ? null : { ...report, timeframe: null, saysOpen: false };
}
