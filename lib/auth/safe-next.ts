/** Stands for this site while an address is read; whatever leads elsewhere was no path. */
const HERE = "http://here.invalid";

/**
 * Where to go after signing in: an address inside the portal, and nothing else whatever was asked for. It is read the
 * way a browser reads it, so that a backslash or two dots lead nowhere else later.
 */
export function safeNext<F extends string | undefined>(next: unknown, fallback: F): string | F {
  if (typeof next !== "string" || next.length > 1_000 || !URL.canParse(next, HERE)) return fallback;
  const { origin, pathname, searchParams } = new URL(next, HERE);
  if (origin !== HERE || !/^\/portal(?:\/|$)/.test(pathname) || pathname.includes("//")) return fallback;
  // The router adds it when it asks for the data of a page alone.
  searchParams.delete("_rsc");
  const query = searchParams.toString();
  return query ? `${pathname}?${query}` : pathname;
}
