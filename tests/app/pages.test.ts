import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cacheableQuery, hasFixedAddress, isCacheablePage, PAGES, sitemapPaths } from "@/app/pages";

const app = fileURLToPath(new URL("../../app", import.meta.url));

/** Address templates of the page files in the tree, without groups in parentheses. */
const inTree = readdirSync(app, { recursive: true, encoding: "utf8" })
  .filter((path) => /(?:^|\/)page\.tsx$/.test(path))
  .map(
    (path) =>
      `/${join(path, "..")
        .split("/")
        .filter((part) => part !== "." && !part.startsWith("("))
        .join("/")}`,
  );

describe("the list of pages", () => {
  it("the list of pages has an entry for every page of the tree, and no other", () => {
    expect(Object.keys(PAGES).toSorted()).toEqual(inTree.toSorted());
  });

  it("the sitemap lists only cacheable pages at fixed addresses, each once", () => {
    const listed = sitemapPaths();
    for (const address of listed) {
      const template = address in PAGES ? address : "/docs/[page]";
      expect(isCacheablePage(template), address).toBe(true);
      expect(hasFixedAddress(template, address), address).toBe(true);
      expect(address).not.toContain("[");
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(
      expect.arrayContaining(["/terms", "/privacy", "/imprint", "/risk", "/docs", "/docs/errors"]),
    );
    expect(hasFixedAddress("/docs/[page]", "/docs/nothing")).toBe(false);
    expect(hasFixedAddress("/models/[id]", "/models/7")).toBe(false);
  });

  it("no static page is in a guarded area", () => {
    for (const [template, { area, plain }] of Object.entries(PAGES))
      if (plain) expect([template, area]).toEqual([template, "site"]);
  });

  it("the cache keeps only the parameters that a page reads, in a fixed order", () => {
    expect(cacheableQuery("/record", "/record?utm=x&tf=H1&symbol=EURUSD")).toBe("?symbol=EURUSD&tf=H1");
    expect(cacheableQuery("/record", `/record?symbol=${"A".repeat(121)}`)).toBe("");
    expect(cacheableQuery("/", "/?symbol=EURUSD")).toBe("");
    expect(cacheableQuery("/nothing", "/nothing?q=1")).toBe("");
  });
});
