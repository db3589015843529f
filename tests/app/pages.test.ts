import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { DOCS_PAGES } from "@/app/(site)/docs/(text)/_parts/contents";
import { isPlain, LISTED, PAGES, publicQuery } from "@/app/pages";

const app = fileURLToPath(new URL("../../app", import.meta.url));

/** Templates of the page files in the tree: groups in parentheses are no part of an address. */
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
  it("has an entry for every page of the tree and no other", () => {
    expect(Object.keys(PAGES).toSorted()).toEqual(inTree.toSorted());
  });

  it("lists plain pages without parameters in the path alone", () => {
    for (const template of LISTED) {
      expect(isPlain(template), template).toBe(true);
      expect(template).not.toContain("[");
    }
    expect(LISTED).toEqual(expect.arrayContaining(["/terms", "/privacy", "/imprint", "/risk"]));
  });

  it("has no plain page in a guarded area", () => {
    for (const [template, { area, plain }] of Object.entries(PAGES))
      if (plain) expect([template, area]).toEqual([template, "site"]);
  });

  it("lists every page of the documentation that has an entry in its contents", () => {
    const documentation = LISTED.filter((template) => /^\/docs(\/|$)/.test(template));
    expect(DOCS_PAGES.map(({ href }) => href).toSorted()).toEqual(documentation.toSorted());
  });

  it("keeps of an address the parameters that its page reads, in one order", () => {
    expect(publicQuery("/record", "/record?utm=x&tf=H1&symbol=EURUSD")).toBe("?symbol=EURUSD&tf=H1");
    expect(publicQuery("/record", `/record?symbol=${"A".repeat(121)}`)).toBe("");
    expect(publicQuery("/", "/?symbol=EURUSD")).toBe("");
    expect(publicQuery("/nothing", "/nothing?q=1")).toBe("");
  });
});
