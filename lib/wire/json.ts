import { DAY_MS, SECOND_MS } from "@/lib/time";
import { type AppError, validationFailedError } from "./errors";
import { findJsonFault } from "./json-fault";

const DAY_SECONDS = DAY_MS / SECOND_MS;

/** JSON that is nested deeper than this is refused, before any recursive code runs. */
export const MAX_JSON_DEPTH = 20;

/**
 * Serialises a value as JSON of the API: compact, with instants as whole seconds in UTC and exact 64-bit integers, and
 * without exponents. Keys keep the order of insertion.
 *
 * Throws RangeError on a number that is not finite and on a function or symbol, so that a defect is noticed.
 */
export function writeJson(value: unknown): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      return writeNumber(value);
    case "bigint":
      return value.toString();
    case "undefined":
      return "null";
    case "object": {
      if (value === null) return "null";
      if (value instanceof Date) return `"${writeInstant(value)}"`;
      // Appending to one text takes half the time of joining an array for each object, in lists of thousands.
      let text = "";
      if (Array.isArray(value)) {
        for (const item of value) text += `${text === "" ? "" : ","}${writeJson(item)}`;
        return `[${text}]`;
      }
      for (const key of Object.keys(value)) {
        // The cast is safe: only the type `object` lacks the keys.
        const member = (value as Record<string, unknown>)[key];
        text += `${text === "" ? "" : ","}${writtenName(key)}${writeJson(member)}`;
      }
      return `{${text}}`;
    }
    default:
      throw new RangeError(`JSON cannot contain a ${typeof value}`);
  }
}

/**
 * Maximum number of texts in each of the two caches below: member names in JSON with their colon, and days. Both repeat
 * often, so the caches halve the time for a list of keys.
 */
const MAX_KEPT = 4_000;
const names = new Map<string, string>();
const days = new Map<number, string>();

function kept<K>(texts: Map<K, string>, key: K, write: () => string): string {
  const held = texts.get(key);
  if (held !== undefined) return held;
  if (texts.size >= MAX_KEPT) texts.clear();
  const text = write();
  texts.set(key, text);
  return text;
}

const writtenName = (name: string): string => kept(names, name, () => `${JSON.stringify(name)}:`);

const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

/** An instant as `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off. */
export function writeInstant(at: Date): string {
  const seconds = Math.floor(at.getTime() / SECOND_MS);
  const day = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - day * DAY_SECONDS;
  const date = kept(days, day, () => at.toISOString().replace(/T.*/, "T"));
  const [hour, minute] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
  return `${date}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[rest % 60]}Z`;
}

/** Plain decimal notation of a double: the shortest form that parses to the same value, never with an exponent. */
export function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError("JSON cannot contain a number that is not finite");
  const text = String(value);
  const exponentAt = text.indexOf("e");
  if (exponentAt < 0) return text === "-0" ? "0" : text;
  const exponent = Number(text.slice(exponentAt + 1));
  const negative = text.startsWith("-");
  const [whole = "0", fraction = ""] = text.slice(negative ? 1 : 0, exponentAt).split(".");
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const plain =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : digits.padEnd(point, "0").slice(0, point) + (digits.length > point ? `.${digits.slice(point)}` : "");
  return negative ? `-${plain}` : plain;
}

/**
 * Parses JSON as trading clients write it: a byte order mark, white space and trailing NULs around it are dropped.
 *
 * Integers of 16 digits and more become strings, because a double would round them (tickets reach 2^63 - 1). With
 * `exponentsAsText`, numbers in exponent form become strings too: a ticket written as 1.23457e+08 has lost digits.
 * Throws 422 on text that is not JSON, on UTF-16, on nesting beyond MAX_DEPTH and on a NUL inside.
 */
export function readJson(text: string, { exponentsAsText = false } = {}): unknown {
  if (UTF16.test(text)) throw bodyProblem("is UTF-16: send UTF-8", "json_nul");
  const guarded = guard(trimmed(text), exponentsAsText);
  let value: unknown;
  try {
    value = JSON.parse(guarded);
  } catch {
    throw notJson(guarded);
  }
  return SURROGATE_ESCAPE.test(guarded) ? wellFormed(value) : value;
}

/**
 * Matches text that begins like UTF-16, which some terminals send: two ASCII characters, perhaps after a byte order
 * mark.
 */
const UTF16 = /^.{0,2}(?:[ -~]\0[ -~]\0|\0[ -~]\0[ -~])/s;

/** A JSON number with an exponent. */
const EXPONENT_FORM = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[eE][+-]?[0-9]+$/;

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Replaces halves of surrogate pairs, which cannot be stored as text, by U+FFFD in all strings and names. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  );
}

/**
 * The text without a leading byte order mark and white space, and without trailing NULs and white space. Takes linear
 * time on any text.
 */
function trimmed(text: string): string {
  let rest = text.trimEnd();
  while (rest.endsWith("\0")) {
    let end = rest.length - 1;
    while (end > 0 && rest.charCodeAt(end - 1) === 0) end--;
    rest = rest.slice(0, end).trimEnd();
  }
  return rest.trimStart();
}

/** Checks the nesting depth and NULs, and turns long integers into strings, in one pass before the text is parsed. */
function guard(text: string, exponentsAsText: boolean): string {
  let depth = 0;
  let copied = 0;
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x22) {
      i = endOfString(text, i);
    } else if (char === 0x7b || char === 0x5b) {
      if (++depth > MAX_JSON_DEPTH)
        throw bodyProblem(`is nested deeper than ${MAX_JSON_DEPTH}`, "json_too_deep");
    } else if (char === 0x7d || char === 0x5d) {
      depth--;
    } else if (char === 0) {
      throw bodyProblem("contains a NUL character", "json_nul");
    } else if ((char >= 0x30 && char <= 0x39) || char === 0x2d) {
      const end = endOfNumber(text, i);
      const literal = text.slice(i, end);
      const isLong = /^-?[1-9][0-9]{15,}$/.test(literal);
      if (isLong || (exponentsAsText && EXPONENT_FORM.test(literal))) {
        out += `${text.slice(copied, i)}"${literal}"`;
        copied = end;
      }
      i = end - 1;
    }
  }
  return copied === 0 ? text : out + text.slice(copied);
}

/** Index of the closing quote of the string that opens at `start`. Throws 422 on an escaped or bare NUL. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x22) return i;
    if (char === 0) throw bodyProblem("contains a NUL character", "json_nul");
    if (char === 0x5c) {
      if (text.startsWith("u0000", i + 1)) throw bodyProblem("contains a NUL character", "json_nul");
      i++;
    }
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && /[0-9+\-.eE]/.test(text[end] ?? "")) end++;
  return end;
}

/** Matches the beginning of a form: `ticket=1&...`, or the first lines of a multipart body. */
const FORM = /^(?:[\w.%+-]+=|--[^\r\n]*\r?\nContent-Disposition:)/i;

function notJson(text: string): AppError {
  if (text === "") return bodyProblem("is empty: send JSON", "json_invalid");
  if (FORM.test(text)) return bodyProblem("is a form: send JSON", "json_invalid");
  const fault = findJsonFault(text);
  if (fault === null) return bodyProblem("is not valid JSON", "json_invalid");
  if (fault === "end") return bodyProblem("is not valid JSON: it ends too early", "json_invalid");
  const { after, isNumber } = fault;
  const hint = isNumber ? ": numbers need a decimal point, and NaN is not JSON" : "";
  return validationFailedError([
    { loc: ["body", after], msg: `is where the body stops being JSON${hint}`, type: "json_invalid" },
  ]);
}

function bodyProblem(msg: string, type: string): AppError {
  return validationFailedError([{ loc: ["body"], msg, type }]);
}
