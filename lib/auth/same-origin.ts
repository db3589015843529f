import { env } from "@/lib/runtime/env";

/**
 * Whether a page of this site sent the form. Browsers state it in Sec-Fetch-Site, which pages cannot forge; without
 * that header (addresses without TLS) the Origin must match BASE_URL, or the Host header if BASE_URL is not set. A
 * request without either header is refused.
 */
export function isSameOriginForm(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  if (env().baseUrlIsSet) return origin === new URL(env().baseUrl).origin;
  const host = request.headers.get("host");
  return host !== null && new URL(origin).host === host;
}
