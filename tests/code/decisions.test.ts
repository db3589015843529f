import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The project's files below a folder, as paths from the root. */
function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules"));
}

/** The anchor of a heading in rendered Markdown: lower case, hyphens for blanks, no other punctuation. */
const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

// Links of docs/site are site addresses, which tests/app/docs-text.test.tsx checks.
const documents = ["README.md", "lib/README.md", ...filesBelow("docs", /\.md$/)].filter(
  (path) => !path.startsWith("docs/site/"),
);
const FOLDER = "docs/decisions";
const INDEX = `${FOLDER}/README.md`;
const records = filesBelow(FOLDER, /\.md$/).filter((path) => path !== INDEX);

/** Maximum length of one page. */
const MAX_LINES = 60;

describe("decision records", () => {
  it("the index lists every decision record, and nothing else", () => {
    const listed = [...read(INDEX).matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, file]) => `${FOLDER}/${file}`);
    expect(listed.toSorted()).toEqual(records.toSorted());
  });

  it.each(records)("the decision %s has its four sections on one page", (path) => {
    const text = read(path);
    for (const part of ["Context", "Decision", "Consequences", "What would change our mind"])
      expect(text).toContain(`**${part}.**`);
    expect(text.split("\n").length).toBeLessThanOrEqual(MAX_LINES);
  });

  it("decision records are linked by name, not by number", () => {
    const sources = ["app", "lib", "db", "emails", "tests", "public", "docs", "deploy"].flatMap((folder) =>
      filesBelow(folder, /\.(tsx?|m?js|mqh|mq5|py|css|sql|md|ya?ml|conf|service)$/),
    );
    expect(sources.filter((path) => /\bdecisions? \d/i.test(read(path)))).toEqual([]);
    const named = sources.flatMap((path) =>
      [...read(path).matchAll(/docs\/decisions\/[\w-]+\.md/g)].map(([target]) => ({ path, target })),
    );
    expect(named.filter(({ target }) => !existsSync(join(root, target)))).toEqual([]);
  });
});

describe("links in documents", () => {
  it("links in documents lead to existing files and headings", () => {
    const links = documents.flatMap((from) =>
      [...read(from).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].map(
        ([, path, anchor]) => ({
          from,
          to: path ? relative(root, resolve(root, dirname(from), path)) : from,
          anchor,
        }),
      ),
    );
    expect(links.length).toBeGreaterThan(50);
    const broken = links.filter(({ to, anchor }) => {
      if (!existsSync(join(root, to))) return true;
      if (anchor === undefined) return false;
      const headings = [...read(to).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        anchorOf(heading as string),
      );
      return !headings.includes(anchor);
    });
    expect(broken.map(({ from, to, anchor }) => `${from} -> ${to}${anchor ? `#${anchor}` : ""}`)).toEqual([]);
  });
});
