/** The security headers of a page or file. */

/** Header that carries the nonce to the page, for the script tag that the page writes itself. */
export const NONCE_HEADER = "x-nonce";

export interface AnswerContext {
  /** One-time value that marks the scripts of this answer; null for a plain page, which has no inline script. */
  nonce: string | null;
  /** The site is reached over TLS. */
  https: boolean;
  pathname: string;
}

/** Pictures, feeds and downloads may be shown by other sites; pages may not. */
const FILE = /\.[a-z0-9]+$/i;

/** Pages whose address or content belongs to one person. Their address is not sent to other sites as a referrer. */
const PRIVATE = /^\/(portal|admin|login|r)(\/|$)/;

/**
 * The content security policy of a page: nothing is fetched from elsewhere. The framework's scripts run by nonce; a plain
 * page has none of them, no inline script and one constant policy.
 */
export function contentSecurityPolicy({ nonce, https }: Pick<AnswerContext, "nonce" | "https">): string {
  const directives = [
    "default-src 'none'",
    nonce === null ? "script-src 'self'" : `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(https ? ["upgrade-insecure-requests"] : []),
  ];
  return directives.join("; ");
}

/** Every security header of a page or file outside the interface, by name. */
export function securityHeaders(context: AnswerContext): Record<string, string> {
  const transport: Record<string, string> = context.https
    ? { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" }
    : {};
  if (FILE.test(context.pathname)) {
    // A mail with its looks, for an administrator alone.
    if (/^\/(?:portal|admin|login)\//.test(context.pathname))
      return {
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        ...transport,
      };
    return {
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "cross-origin",
      ...transport,
    };
  }
  return {
    "Content-Security-Policy": contentSecurityPolicy(context),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": PRIVATE.test(context.pathname) ? "same-origin" : "strict-origin-when-cross-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    ...transport,
  };
}
