import { env } from "@/lib/runtime/env";

/**
 * Whether a form was sent by a page of this site. Browsers say so in Sec-Fetch-Site, which no page can forge; where it
 * is missing (addresses without TLS) the Origin must be this site's own. A request with neither is refused
 * (decision 94).
 */
export function isOwnForm(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const host = request.headers.get("host");
  return origin === new URL(env().baseUrl).origin || (host !== null && new URL(origin).host === host);
}
