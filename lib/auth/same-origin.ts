/**
 * Whether a form was sent by a page of this very site. Browsers tell so themselves; one that does not, or that speaks
 * to a site without TLS, still names the origin. A request that tells neither is refused.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  return new URL(origin).host === headers.get("host");
}
