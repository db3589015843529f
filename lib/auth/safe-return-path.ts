/** Placeholder origin for parsing. An address that parses to another origin was not a path of this site. */
const HERE = "http://here.invalid";

/**
 * Where to go after signing in: an address of the portal, else `fallback`. Parsed as browsers do, so that a backslash
 * or two dots cannot lead to another site.
 */
export function safeReturnPath<F extends string | undefined>(next: unknown, fallback: F): string | F {
  if (typeof next !== "string" || next.length > 1_000 || !URL.canParse(next, HERE)) return fallback;
  const { origin, pathname, search } = new URL(next, HERE);
  if (origin !== HERE || !/^\/portal(?:\/|$)/.test(pathname) || pathname.includes("//")) return fallback;
  return pathname + search;
}
