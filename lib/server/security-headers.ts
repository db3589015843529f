/** Security headers of pages and files. */

/** What the security headers of an answer depend on. */
export interface AnswerContext {
  /** Whether the site is reached over TLS. */
  https: boolean;
  pathname: string;
}

/** Matches paths of files. Other sites may embed pictures, feeds and downloads, but no pages. */
const FILE = /\.[a-z0-9]+$/i;

/**
 * Matches pages that are private or whose address holds a token. Other sites get no referrer from them, not even the
 * origin.
 */
const PRIVATE = /^\/(portal|admin|login|r)(\/|$)/;

/** The content security policy of a page: no inline scripts, and no resources from other sites. */
export function contentSecurityPolicy({ https }: Pick<AnswerContext, "https">): string {
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
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

/** All security headers of a page or file that is not part of the API, by name. */
export function securityHeaders(context: AnswerContext): Record<string, string> {
  const transport: Record<string, string> = context.https
    ? { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" }
    : {};
  if (FILE.test(context.pathname)) {
    // The preview of a mail, for administrators only. It loads the service's logo.
    if (/^\/(?:portal|admin|login)\//.test(context.pathname))
      return {
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
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
