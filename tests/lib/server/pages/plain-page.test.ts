import { describe, expect, it } from "vitest";
import { isPlainPage, MISSING_PAGE_ADDRESS, stripFrameworkScripts } from "@/lib/server/pages/plain-page";

const DOCUMENT = `<!DOCTYPE html><html><head><title>T</title><link rel="preload" as="script" href="/_next/a.js"/>
<link rel="preload" as="font" href="/f.woff2"/></head><body><p>text</p><script src="/enhance.js" async=""></script>
<script src="/_next/a.js" async=""></script><script nonce="n">self.__next_f.push([1,"a\\u003c/script>"])</script></body></html>`;

describe("a plain document", () => {
  it("a plain document keeps the text, the fonts and the site's own script, and no other script", () => {
    const html = stripFrameworkScripts(DOCUMENT);
    expect(html).toContain("<p>text</p>");
    expect(html).toContain('as="font"');
    expect(html.match(/<script\b[^>]*>/g)).toEqual(['<script src="/enhance.js" async="">']);
    expect(html).not.toContain('as="script"');
    expect(html).not.toContain("__next_f");
  });

  const plainAt = (path: string, template: string | null, kind: "page" | "handler" | "file" = "page") =>
    isPlainPage(path, template === null ? null : { template, kind });

  it.each(["/", "/status", "/docs", "/changelog", "/security", "/record", "/verify"])(
    "%s is a plain page",
    (path) => {
      expect(plainAt(path, path)).toBe(true);
    },
  );

  it("a page with parameters in its address is plain, but a file under it is not", () => {
    expect(plainAt("/record/EURUSD.X/H1", "/record/[symbol]/[tf]")).toBe(true);
    expect(plainAt("/models/7", "/models/[id]")).toBe(true);
    expect(plainAt("/docs/errors", "/docs/[page]")).toBe(true);
    expect(plainAt("/record/A/H1/signals.csv", "/record/[symbol]/[tf]/signals.csv", "handler")).toBe(false);
    expect(plainAt("/verify/verify.mjs", "file", "file")).toBe(false);
  });

  it.each(["/portal", "/admin", "/login", "/statuses"])("%s is not a plain page", (path) => {
    expect(plainAt(path, path)).toBe(false);
  });

  it("the 404 document is a plain page, and a script is not", () => {
    expect(plainAt(MISSING_PAGE_ADDRESS, null)).toBe(true);
    expect(plainAt("/enhance.js", null)).toBe(false);
  });
});
