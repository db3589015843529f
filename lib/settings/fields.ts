import { z } from "zod";
import { LOGO_TYPES } from "@/lib/vocabulary";
import { Email } from "@/lib/wire/email";

/** Field types of settings. Each defines once how a value is stored, validated, parsed from a form and shown. */

/** A text on a page; a function if it depends on the configuration. */
export type PageText = string | (() => string);

export type SettingControl =
  | { kind: "text"; type?: "url"; inputMode?: "numeric" | "decimal" | "email"; maxLength?: number }
  | { kind: "lines" }
  | { kind: "checkbox" }
  | { kind: "select"; options: readonly { value: string; label: string }[] }
  | { kind: "logo" };

interface Shown {
  label: string;
  hint?: PageText;
  placeholder?: PageText;
  /** Spans two columns of the form. */
  wide?: boolean;
}

export interface SettingField<V> extends Shown {
  control: SettingControl;
  isRequired: boolean;
  /** Stored as a share from 0 to 1, typed as per cent. */
  isShare?: boolean;
  byDefault: V;
  /** Values that a form or a file may store. */
  schema: z.ZodType<V>;
  /** Values accepted from the database. May be wider than `schema`, so that later, tighter bounds reject no stored value. */
  readable: z.ZodType<V>;
  /** Converts the text of a control; `schema` checks the result. */
  parse(text: string): unknown;
  /** Converts a value to the text of its control. */
  write(value: V): string;
}

/** The name of a field's control: `thresholdMinutes` is `threshold_minutes`; a share is entered as per cent. */
export function controlName(property: string, { isShare }: Pick<SettingField<unknown>, "isShare">): string {
  const snake = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return isShare ? `${snake(property.replace(/Share$/, ""))}_pct` : snake(property);
}

type Bounds = Shown & { min: number; max: number; byDefault: number };

const WHOLE = /^[0-9]{1,9}$/;
const DECIMAL = /^[0-9]{1,9}(?:\.[0-9]{1,6})?$/;

function bounded(min: number, max: number, message: string, isWhole: boolean): z.ZodType<number> {
  const number = z.number(message).min(min, message).max(max, message);
  return isWhole ? number.int(message) : number;
}

function numberField(
  { min, max, byDefault, ...shown }: Bounds,
  isWhole: boolean,
  scale = 1,
): SettingField<number> {
  const message = `must be a ${isWhole ? "whole " : ""}number from ${min} to ${max}`;
  const pattern = isWhole ? WHOLE : DECIMAL;
  return {
    ...shown,
    byDefault,
    isRequired: true,
    control: { kind: "text", inputMode: isWhole ? "numeric" : "decimal" },
    schema: bounded(min / scale, max / scale, message, isWhole),
    readable: z.number().min(0),
    parse: (text) => (pattern.test(text.trim()) ? Number(text) / scale : text),
    // Rounded, because the product of two fractions has rounding noise.
    write: (value) => String(scale === 1 ? value : Number((value * scale).toFixed(6))),
  };
}

export const wholeNumberField = (bounds: Bounds): SettingField<number> => numberField(bounds, true);

/** A number with at most six decimals. */
export const decimalField = (bounds: Bounds): SettingField<number> => numberField(bounds, false);

/** A share from 0 to 1, entered and bounded as per cent. */
export const percentField = (bounds: Bounds): SettingField<number> => ({
  ...numberField(bounds, false, 100),
  isShare: true,
});

/** A field whose control is a checkbox. */
export function checkboxField({
  byDefault,
  ...shown
}: Shown & { byDefault: boolean }): SettingField<boolean> {
  const schema = z.boolean("must be true or false");
  return {
    ...shown,
    byDefault,
    isRequired: false,
    control: { kind: "checkbox" },
    schema,
    readable: schema,
    parse: (text) => text === "true",
    write: String,
  };
}

/** A field whose value is one of several words. */
export function choiceField<const W extends string>({
  options,
  byDefault,
  ...shown
}: Shown & { options: Readonly<Record<W, string>>; byDefault: NoInfer<W> }): SettingField<W> {
  const words = Object.keys(options).filter((word): word is W => Object.hasOwn(options, word));
  const schema = z.enum(words, `must be one of ${words.join(", ")}`);
  return {
    ...shown,
    byDefault,
    isRequired: true,
    control: { kind: "select", options: words.map((value) => ({ value, label: options[value] })) },
    schema,
    readable: schema,
    parse: (text) => text,
    write: String,
  };
}

/** A field for several technical names, separated by line breaks, blanks, commas or semicolons. */
export function namesField({
  max,
  byDefault,
  ...shown
}: Shown & { max: number; byDefault: string[] }): SettingField<string[]> {
  const message = `must be at most ${max} names of at most 100 characters`;
  const schema = z.array(z.string().min(1, message).max(100, message), message).max(max, message);
  return {
    ...shown,
    byDefault,
    isRequired: false,
    control: { kind: "lines" },
    schema,
    readable: schema,
    parse: (text) => [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ""))],
    write: (value) => value.join("\n"),
  };
}

/** A field for several numbers of days such as `7, 3, 1`, stored without duplicates and the largest first. */
export function daysListField({
  max,
  upTo,
  byDefault,
  ...shown
}: Shown & { max: number; upTo: number; byDefault: number[] }): SettingField<number[]> {
  const message = `must be one to ${COUNT_WORDS[max] ?? max} numbers of 1 to ${upTo}, such as ${byDefault.join(", ")}`;
  const schema = z
    .array(bounded(1, upTo, message, true), message)
    .min(1, message)
    .max(max, message)
    .transform((days) => [...new Set(days)].sort((a, b) => b - a));
  return {
    ...shown,
    byDefault,
    isRequired: true,
    control: { kind: "text", maxLength: 60 },
    schema,
    readable: schema,
    parse: (text) =>
      text
        .split(/[\s,]+/)
        .filter((part) => part !== "")
        .map((part) => (/^[0-9]{1,2}$/.test(part) ? Number(part) : 0)),
    write: (value) => value.join(", "),
  };
}

const COUNT_WORDS: Readonly<Record<number, string>> = { 6: "six" };

/** Optional text: blank is null. */
function optionalText(
  shown: Shown,
  control: SettingControl & { kind: "text" },
  schema: z.ZodType<string>,
  tidy: (text: string) => string = (text) => text,
): SettingField<string | null> {
  return {
    ...shown,
    byDefault: null,
    isRequired: false,
    control,
    schema: schema.nullable(),
    readable: z.string().nullable(),
    parse: (text) => (text.trim() === "" ? null : tidy(text.trim())),
    write: (value) => value ?? "",
  };
}

/** A field for one line of text, which is safe in a mail header. */
export const lineField = (shown: Shown, maxLength: number): SettingField<string | null> =>
  optionalText(
    shown,
    { kind: "text", maxLength },
    z
      .string()
      .min(1, "must not be empty")
      .max(maxLength, `must have at most ${maxLength} characters`)
      .regex(/^[^\p{Cc}"\\<>]*$/u, 'must be one line without ", \\, < and >'),
  );

export const emailField = (shown: Shown): SettingField<string | null> =>
  optionalText(
    shown,
    { kind: "text", inputMode: "email" },
    z.string().refine((text) => Email.safeParse(text).success, "must be one e-mail address"),
    (text) => {
      const parsed = Email.safeParse(text);
      return parsed.success ? parsed.data : text;
    },
  );

/** Message for a text that is not a web address. */
export const NOT_A_WEB_ADDRESS = "must be an address that begins with https:// or http://";

/** Whether a text is an absolute address with https or http. */
export const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** A field for the address of a web page. */
export const webAddressField = (shown: Shown): SettingField<string | null> =>
  optionalText(
    shown,
    { kind: "text", type: "url" },
    z.string().max(500, "must have at most 500 characters").refine(isWebAddress, NOT_A_WEB_ADDRESS),
  );

/** A field for a colour of six hexadecimal digits, typed with or without `#`. */
export const colourField = (shown: Shown): SettingField<string | null> =>
  optionalText(
    shown,
    { kind: "text", maxLength: 7 },
    z.string().regex(/^#[0-9a-f]{6}$/, "must be a colour such as #2148b8"),
    (text) => text.toLowerCase().replace(/^#?/, "#"),
  );

/** An uploaded picture, identified by the hash of its bytes. */
const Logo = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), mediaType: z.enum(LOGO_TYPES) });
type Logo = z.output<typeof Logo>;

export function logoField(shown: Shown): SettingField<Logo | null> {
  const schema = Logo.nullable();
  return {
    ...shown,
    byDefault: null,
    isRequired: false,
    control: { kind: "logo" },
    schema: z.custom<Logo | null>((value) => schema.safeParse(value).success, "must be an uploaded logo"),
    readable: schema,
    parse: (text) => {
      if (text === "") return null;
      const [, hash, extension] = /^([0-9a-f]{64})\.(png|webp)$/.exec(text) ?? [];
      return hash === undefined ? text : { hash, mediaType: `image/${extension}` };
    },
    write: (value) => (value ? `${value.hash}.${value.mediaType.slice("image/".length)}` : ""),
  };
}
