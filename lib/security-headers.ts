/** What the browser may do with a page: decided per request, because each answer has its own nonce. */

export interface PageContext {
  /** One-time word that marks this answer's own scripts. */
  nonce: string;
  /** The site is reached over TLS. */
  https: boolean;
  /** The development server evaluates code and talks over a socket. */
  development: boolean;
  pathname: string;
}

/** The API reference is a finished application that writes its own style elements. */
const WRITES_STYLES = "/docs/reference";

/** Pages whose address or content belongs to one person: no other site learns that they were open. */
const PRIVATE = /^\/(portal|admin|login)(\/|$)/;

/** The content security policy of a page. Scripts run by nonce only; nothing is fetched from elsewhere. */
export function contentSecurityPolicy({ nonce, https, development, pathname }: PageContext): string {
  const styles = development || pathname === WRITES_STYLES ? "'self' 'unsafe-inline'" : "'self'";
  const directives = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`,
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? " ws:" : ""}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(https ? ["upgrade-insecure-requests"] : []),
  ];
  return directives.join("; ");
}

/** Every security header of a page, by name. */
export function pageSecurityHeaders(context: PageContext): Record<string, string> {
  return {
    "Content-Security-Policy": contentSecurityPolicy(context),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": PRIVATE.test(context.pathname) ? "no-referrer" : "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    ...(context.https ? { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" } : {}),
  };
}
