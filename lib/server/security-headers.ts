/** Security headers of pages and files. */

/** Header with the nonce for the script tag that the page writes itself. */
export const NONCE_HEADER = "x-nonce";

export interface AnswerContext {
  /** Nonce of this response's scripts; null for a plain page, which has no inline script. */
  nonce: string | null;
  /** Whether the site is reached over TLS. */
  https: boolean;
  pathname: string;
}

/** Files: other sites may embed pictures, feeds and downloads, but no pages. */
const FILE = /\.[a-z0-9]+$/i;

/** Pages that belong to one person. Their address is not sent to other sites as a referrer. */
const PRIVATE = /^\/(portal|admin|login|r)(\/|$)/;

/**
 * The content security policy of a page: no resources from other sites. The framework's scripts run by nonce; a plain
 * page has no inline scripts and one constant policy.
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

/** All security headers of a page or file outside the interface, by name. */
export function securityHeaders(context: AnswerContext): Record<string, string> {
  const transport: Record<string, string> = context.https
    ? { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" }
    : {};
  if (FILE.test(context.pathname)) {
    // The preview of a mail, for administrators only.
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
