import { isDeepStrictEqual } from "node:util";

/** `key.stop_many` as `Key: stop many`. */
export function actionLabel(action: string): string {
  const words = action.replace(".", ": ").replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * `plan tier pro, from –`: details of an action, with spaces at which lines can wrap. Of a change only the differing
 * fields are listed, as `price text – → 29 EUR`. Long values are cut; the export contains them.
 */
export function auditDetails({ before, after, ...noted }: Record<string, unknown>): string {
  const changes =
    isFields(after) && (isFields(before) || before === null)
      ? Object.keys(after)
          .filter((name) => !isDeepStrictEqual(before?.[name], after[name]))
          .map((name) => `${fieldLabel(name)} ${valueText(before?.[name])} → ${valueText(after[name])}`)
      : before === undefined && after === undefined
        ? []
        : [`${valueText(before)} → ${valueText(after)}`];
  const notes = Object.entries(noted).map(([name, value]) => `${fieldLabel(name)} ${valueText(value)}`);
  return [...changes, ...notes].join(", ") || "–";
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `priceText` and `price_text` as `price text`. */
const fieldLabel = (name: string): string =>
  name.replaceAll("_", " ").replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const LONGEST_VALUE = 60;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** A value as text: yes, no, or a dash for none. Long texts are cut. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text =
    typeof value === "string"
      ? value.replace(/(T\d{2}:\d{2}:\d{2})\.\d+Z$/, "$1Z")
      : isTexts(value)
        ? value.join(" and ")
        : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}
