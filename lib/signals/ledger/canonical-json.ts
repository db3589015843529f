/** What canonical JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Canonical JSON: no white space, names in the order of their UTF-16 units, numbers as ECMAScript writes them.
 *
 * @throws RangeError on what has no canonical form: a number that is not finite, half of a surrogate pair
 * @see RFC 8785
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new RangeError("canonical JSON holds finite numbers only");
  if (typeof value === "string" && !value.isWellFormed())
    throw new RangeError("canonical JSON holds well-formed text only");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(",")}}`;
}

// Array.isArray does not narrow a readonly list.
const isList = (value: readonly Json[] | { readonly [name: string]: Json }): value is readonly Json[] =>
  Array.isArray(value);
