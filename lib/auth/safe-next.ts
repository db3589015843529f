/** Stands for this site while an address is parsed. An address with another origin was not a path of this site. */
const HERE = "http://here.invalid";

/**
 * Where to go after signing in: an address inside the portal, else `fallback`. It is parsed as a browser
 * parses it, so that a backslash or two dots cannot lead to another site later.
 */
export function safeNext<F extends string | undefined>(next: unknown, fallback: F): string | F {
  if (typeof next !== "string" || next.length > 1_000 || !URL.canParse(next, HERE)) return fallback;
  const { origin, pathname, searchParams } = new URL(next, HERE);
  if (origin !== HERE || !/^\/portal(?:\/|$)/.test(pathname) || pathname.includes("//")) return fallback;
  // Next's router adds this parameter when it asks only for the data of a page.
  searchParams.delete("_rsc");
  const query = searchParams.toString();
  return query ? `${pathname}?${query}` : pathname;
}
