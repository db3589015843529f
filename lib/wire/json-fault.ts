/** Matches one JSON token. Strings with control characters or unknown escapes do not match. */
const TOKEN =
  /[\s]*(?:("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])|true|false|null)|([{}[\],:]))/uy;
const FIELD = /^"([A-Za-z0-9_]{1,32})"$/;

/** Matches the beginning of a number, or of what C and MQL print for one that is not finite. */
const NUMBER_LIKE = /^\s*[+-]?(?:\.?[0-9]|nan|inf)/i;
const NUMBER_LIKE_CHARACTERS = 20;

/**
 * Where a text stops being JSON: after this field of the outermost object, and whether a number follows there that is
 * not JSON; or at the text's end. null: unknown.
 */
export type JsonFault = { after: string; isNumber: boolean } | "end" | null;

/**
 * Finds where a text stops being JSON, in linear time. Returns null if that is before the first field or inside a
 * nested value, or if the place is not found: only tokens and the names of fields are checked.
 */
export function findJsonFault(text: string): JsonFault {
  const open: string[] = [];
  let field: string | null = null;
  let isKeyDue = false;
  let last = "";
  let at = 0;
  const here = (): JsonFault => {
    if (open.length !== 1 || field === null) return null;
    return { after: field, isNumber: NUMBER_LIKE.test(text.slice(at, at + NUMBER_LIKE_CHARACTERS)) };
  };
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    at = TOKEN.lastIndex;
    const [, string, scalar, sign] = TOKEN.exec(text) ?? [];
    if (string === undefined && scalar === undefined && sign === undefined) return here();
    if (isKeyDue && string === undefined && !(sign === "}" && last === "{")) return here();
    const isKey = isKeyDue && string !== undefined;
    if (isKey && open.length === 1) field = FIELD.exec(string ?? "")?.[1] ?? null;
    isKeyDue = false;
    last = sign ?? "";
    if (sign === "{" || sign === "[") open.push(sign);
    if (sign === "}" || sign === "]") open.pop();
    isKeyDue = sign === "{" || (sign === "," && open.at(-1) === "{");
  }
  return open.length > 0 ? "end" : null;
}
