import { env } from "@/lib/runtime/env";

/**
 * Whether a form was sent by a page of this site. Browsers say so in Sec-Fetch-Site, which no page can forge; where it
 * is missing (addresses without TLS) the Origin must be that of BASE_URL. Only where no BASE_URL is set may the Host
 * header say what this site is called. A request with neither is refused.
 */
export function isOwnForm(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  if (env().baseUrlIsSet) return origin === new URL(env().baseUrl).origin;
  const host = request.headers.get("host");
  return host !== null && new URL(origin).host === host;
}
