import { z } from "zod";
import { findPlan, unknownPlanMessage } from "@/lib/access/plans";
import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe } from "@/lib/market/timeframes";
import { isWebAddress, NOT_A_WEB_ADDRESS } from "@/lib/settings/fields";
import { CALENDAR_NAME_PATTERN } from "@/lib/vocabulary";
import { Email } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";
import { formatSizeLimit } from "@/lib/wire/size";

/** Field types of the administrator's forms: they parse text into values. A blank optional field is null. */

/**
 * Hidden fields of a setting's form: `mark` is the revision of the confirmed preview, `version` that of the values in the
 * form.
 */
export const CONFIRMATION_FIELDS = { mark: z.string().optional(), version: z.string().optional() };

const blankIsNull = (text: string) => (text.trim() === "" ? null : text.trim());

const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/;

/** A `datetime-local` field, read as UTC. */
export const UtcMinute = z.string().transform((text, context) => {
  const value = blankIsNull(text);
  if (value === null) return null;
  const at = new Date(`${value}Z`);
  // A date such as 31 February would roll over to another day.
  if (MINUTE.test(value) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value.slice(0, 16)))
    return at;
  context.addIssue({ code: "custom", message: "must be a date and time" });
  return z.NEVER;
});

/** A hidden field with the instant that a page showed; blank: none. */
export const ShownInstant = z.union([
  z.literal("").transform(() => null),
  z.iso.datetime().transform((text) => new Date(text)),
]);

/** An instant as a `datetime-local` field shows it, in UTC. */
export const formatUtcMinute = (at: Date | null): string => at?.toISOString().slice(0, 16) ?? "";

function codeList(parse: (text: string) => string | null, problem: string) {
  return z.string().transform((text, context) => {
    const parts = text.split(/[\s,;]+/).filter((part) => part !== "");
    if (parts.length === 0) return null;
    const codes = parts.map(parse);
    if (codes.length <= 200 && codes.every((code) => code !== null)) return [...new Set(codes)];
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  });
}

export const OptionalEmail = z.string().transform((text, context) => {
  const value = blankIsNull(text);
  if (value === null) return null;
  const parsed = Email.safeParse(value);
  if (parsed.success) return parsed.data;
  context.addIssue({ code: "custom", message: "must be one e-mail address" });
  return z.NEVER;
});

/** Name of a token and of the machine that uses it. */
export const TokenName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/, "must have 1 to 40 letters, digits, blanks, dots or dashes");

export const NotesField = z.string().max(2000, "must have at most 2000 characters").transform(blankIsNull);

export const RequiredText = (max: number) =>
  z.string().trim().min(1, "must not be empty").max(max, `must have at most ${max} characters`);

export const OptionalText = (max: number) =>
  z.string().max(max, `must have at most ${max} characters`).transform(blankIsNull);

/** An optional web address, shown as a link. */
export const OptionalUrl = z.string().transform((text, context) => {
  const value = blankIsNull(text);
  if (value === null) return null;
  if (value.length <= 500 && isWebAddress(value)) return value;
  context.addIssue({ code: "custom", message: NOT_A_WEB_ADDRESS });
  return z.NEVER;
});

export const WholeNumber = (min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = text.trim();
    const n = Number(value);
    if (/^[0-9]{1,9}$/.test(value) && n >= min && n <= max) return n;
    context.addIssue({ code: "custom", message: `must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });

/** An optional whole number from `min` to `max`. */
export const OptionalWholeNumber = (min: number, max: number) =>
  z.string().transform((text, context) => {
    if (blankIsNull(text) === null) return null;
    const parsed = WholeNumber(min, max).safeParse(text);
    if (parsed.success) return parsed.data;
    for (const { message } of parsed.error.issues) context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

export const PlanField = z.string().refine((name) => findPlan(name) !== undefined, {
  error: unknownPlanMessage,
});
export const SymbolField = z.string().transform((text, context) => {
  const symbol = parseSymbol(text);
  if (symbol !== null) return symbol;
  context.addIssue({ code: "custom", message: "must be a symbol such as EURUSD" });
  return z.NEVER;
});
export const TimeframeField = z.string().transform((text, context) => {
  const timeframe = parseTimeframe(text);
  if (timeframe !== null) return timeframe;
  context.addIssue({ code: "custom", message: "must be a timeframe such as H1" });
  return z.NEVER;
});
export const SymbolList = codeList(parseSymbol, "must be symbols such as EURUSD, separated by commas");
/** `EURUSD/H1` in canonical spelling, or null. */
function parseSlotName(text: string): string | null {
  const [symbolText = "", timeframeText = "", ...more] = text.split("/");
  const [symbol, timeframe] = [parseSymbol(symbolText), parseTimeframe(timeframeText)];
  return symbol === null || timeframe === null || more.length > 0 ? null : `${symbol}/${timeframe}`;
}

/** Slots as `EURUSD/H1`, at least one. */
export const SlotList = codeList(
  parseSlotName,
  "must be slots such as EURUSD/H1, separated by commas",
).transform((slots, context) => {
  if (slots !== null) return slots;
  context.addIssue({ code: "custom", message: "must name at least one slot, such as EURUSD/H1" });
  return z.NEVER;
});
export const TimeframeList = codeList(parseTimeframe, "must be timeframes such as H1, separated by commas");

export const RateLimitField = z.string().transform((text, context) => {
  const value = blankIsNull(text);
  if (value === null) return null;
  const n = Number(value);
  if (/^[0-9]{1,6}$/.test(value) && n >= 1 && n <= 100_000) return n;
  context.addIssue({ code: "custom", message: "must be a whole number from 1 to 100000" });
  return z.NEVER;
});

/** Target of a pause: `all`, a symbol, or a slot as `EURUSD/H1`. */
export const PauseTargetField = z.string().transform((text, context) => {
  if (text === "all") return { symbol: null, timeframe: null };
  const [symbolText = "", timeframeText, ...rest] = text.split("/");
  const symbol = parseSymbol(symbolText);
  const timeframe = timeframeText === undefined ? null : parseTimeframe(timeframeText);
  if (symbol !== null && rest.length === 0 && (timeframe !== null || timeframeText === undefined))
    return { symbol, timeframe };
  context.addIssue({ code: "custom", message: "must be everything, a symbol or a slot" });
  return z.NEVER;
});

const MAX_ID = 2_147_483_647;

/** An id in a form or a path. */
export const IdField = z.string().transform((text, context) => {
  const n = Number(text);
  if (/^[0-9]{1,10}$/.test(text) && n <= MAX_ID) return n;
  context.addIssue({ code: "custom", message: "must be an id" });
  return z.NEVER;
});

/** The id in a path, or null if it cannot be one. */
export function parseIdOrNull(text: string): number | null {
  const parsed = IdField.safeParse(text);
  return parsed.success ? parsed.data : null;
}

/** The id in a path, for a handler. Throws not_found. */
export function parseId(text: string): number {
  const id = parseIdOrNull(text);
  if (id === null) throw new AppError("not_found");
  return id;
}

/** A button or checkbox that confirms a form's question; absent until the question is asked. */
export const ConfirmedField = z
  .string()
  .optional()
  .transform((text) => text === "true");

/** The end of access in a form: a date, or ticked, none. A form with them is refined by `isEndChosen`. */
export const END_FIELDS = { expires_at: UtcMinute.optional(), no_end: ConfirmedField };
export const isEndChosen = (form: { expires_at?: Date | null | undefined; no_end: boolean }): boolean =>
  form.no_end !== Boolean(form.expires_at);
export const END_NOT_CHOSEN = {
  path: ["expires_at"],
  message: "must be a date and time, or blank with “No end date” ticked",
};

/** The bytes of an uploaded file of at most `maxBytes`, as `readForm` returns them among the fields. */
export const UploadedFileField = (maxBytes: number) =>
  z.string().transform((text, context) => {
    const bytes = Buffer.from(text.slice(text.indexOf(",") + 1), "base64");
    if (text.startsWith("data:") && bytes.length > 0 && bytes.length <= maxBytes) return bytes;
    const message = bytes.length > 0 ? `must have at most ${formatSizeLimit(maxBytes)}` : "must be a file";
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

/** A `date` field, for a day of the years 2000 to 2099. */
export const DayField = z.string().refine((text) => {
  const at = new Date(`${text}T00:00:00Z`);
  return (
    /^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/.test(text) &&
    !Number.isNaN(at.getTime()) &&
    at.toISOString().startsWith(text)
  );
}, "must be a day such as 2026-12-24");

/** An optional `time` field. */
export const OptionalTime = z.string().transform((text, context) => {
  const value = blankIsNull(text);
  if (value === null || /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/.test(value)) return value;
  context.addIssue({ code: "custom", message: "must be a time such as 13:00" });
  return z.NEVER;
});

/** The name of a calendar. The verb checks that it exists. */
export const CalendarField = z
  .string()
  .trim()
  .regex(CALENDAR_NAME_PATTERN, "must be 2 to 24 small letters, digits or _, a letter first");

/** A text area of at most `max` lines of up to 60 characters. Blank lines are dropped. */
export const LinesField = (max: number) =>
  z.string().transform((text, context) => {
    const lines = text
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
    if (lines.length <= max && lines.every((line) => line.length <= 60)) return lines;
    context.addIssue({ code: "custom", message: `must be at most ${max} lines of up to 60 characters` });
    return z.NEVER;
  });
