import { type NextRequest, NextResponse } from "next/server";
import { env } from "./lib/env";
import { pageSecurityHeaders } from "./lib/security-headers";

/**
 * Security headers of pages. It decides nothing about access, and stays off the interface's paths, whose
 * bodies it would buffer, and off files.
 */
export function proxy(request: NextRequest): NextResponse {
  const headers = pageSecurityHeaders({
    nonce: btoa(crypto.randomUUID()),
    https: env().baseUrl.startsWith("https:"),
    development: process.env.NODE_ENV === "development",
    pathname: request.nextUrl.pathname,
  });
  // Next reads the policy from the request and puts its nonce on the scripts that it writes.
  const forwarded = new Headers(request.headers);
  forwarded.set("Content-Security-Policy", headers["Content-Security-Policy"] ?? "");
  const response = NextResponse.next({ request: { headers: forwarded } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

export const config = {
  matcher: ["/((?!api/|webhooks/|admin/(?:keys|ingest|monitoring-data)(?:/|$)|_next/|.*\\.[a-z0-9]+$).*)"],
};
