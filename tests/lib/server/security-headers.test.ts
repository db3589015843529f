import { describe, expect, it } from "vitest";
import { contentSecurityPolicy, securityHeaders } from "@/lib/server/security-headers";

const page = { https: true, pathname: "/" };

const directive = (policy: string, name: string) =>
  policy.split("; ").find((part) => part.startsWith(`${name} `) || part === name);

describe("a page's content security policy", () => {
  it("pages run this site's files, and inline scripts are forbidden", () => {
    expect(directive(contentSecurityPolicy(page), "script-src")).toBe("script-src 'self'");
  });

  it.each(["/", "/docs", "/docs/errors", "/status", "/portal", "/admin", "/login"])(
    "pages allow no inline style on %s",
    (pathname) => {
      expect(
        directive(securityHeaders({ ...page, pathname })["Content-Security-Policy"] ?? "", "style-src"),
      ).toBe("style-src 'self'");
    },
  );

  it("pages allow connections to this site only", () => {
    const policy = contentSecurityPolicy({ ...page, https: false });
    expect(policy).not.toMatch(/https?:|\*/);
    expect(directive(policy, "frame-ancestors")).toBe("frame-ancestors 'none'");
    expect(directive(policy, "base-uri")).toBe("base-uri 'none'");
    expect(directive(policy, "form-action")).toBe("form-action 'self'");
  });
});

describe("other security headers", () => {
  it("strict transport security is sent with TLS only", () => {
    expect(securityHeaders(page)["Strict-Transport-Security"]).toMatch(/max-age=\d{8}/);
    expect(securityHeaders({ ...page, https: false })["Strict-Transport-Security"]).toBeUndefined();
  });

  it.each(["/portal", "/portal/key", "/admin", "/login"])(
    "%s sends no referrer to other sites",
    (pathname) => {
      expect(securityHeaders({ ...page, pathname })["Referrer-Policy"]).toBe("same-origin");
    },
  );

  it("a path that only starts like a private one counts as public", () => {
    expect(securityHeaders({ ...page, pathname: "/portals" })["Referrer-Policy"]).not.toBe("same-origin");
  });

  it("pages may not be framed, but the status badge may be embedded", () => {
    expect(securityHeaders(page)["X-Frame-Options"]).toBe("DENY");
    const badge = securityHeaders({ ...page, pathname: "/status/badge.svg" });
    expect(badge["Cross-Origin-Resource-Policy"]).toBe("cross-origin");
    expect(badge["Content-Security-Policy"]).not.toContain("script-src");
  });
});

it("a private file, such as a mail preview, can be loaded by this site only", () => {
  const preview = securityHeaders({ ...page, pathname: "/admin/mail/7/preview.html" });
  expect(preview).toMatchObject({
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
  });
  expect(directive(preview["Content-Security-Policy"] ?? "", "form-action")).toBe("form-action 'none'");
  expect(directive(preview["Content-Security-Policy"] ?? "", "img-src")).toBe("img-src 'self' data:");
  const badge = securityHeaders({ ...page, pathname: "/r/token/badge.svg" });
  expect(badge["Cross-Origin-Resource-Policy"]).toBe("cross-origin");
});
