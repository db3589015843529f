import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Files of our own below a folder, as paths from the root. */
function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules"));
}

/** The anchor that a heading gets where Markdown is shown: lower case, hyphens for blanks, no other punctuation. */
const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

const documents = ["README.md", ...filesBelow("docs", /\.md$/)];
const INDEX = "docs/decisions/README.md";
const entries = filesBelow("docs/decisions", /\.md$/).flatMap((file) =>
  [...read(file).matchAll(/^## (\d+)\. (.+) \((\d{4}-\d{2}-\d{2})\)$/gm)].map(([, number, title]) => ({
    file,
    number: Number(number),
    title: title as string,
  })),
);
const known = new Set(entries.map(({ number }) => number));

describe("the decisions", () => {
  it("have each number once", () => {
    expect(entries.length).toBeGreaterThan(150);
    expect(known.size).toBe(entries.length);
  });

  it("have a date in every heading", () => {
    const headings = filesBelow("docs/decisions", /\.md$/)
      .filter((file) => file !== INDEX)
      .flatMap((file) => read(file).match(/^## .+$/gm) ?? []);
    expect(headings).toHaveLength(entries.length);
  });

  it("stand in the index once, each under its title and with its file", () => {
    const listed = [...read(INDEX).matchAll(/^- \[(\d+)\. (.+?)\]\(([^)#]+)#[^)]*\)/gm)].map(
      ([, number, title, file]) => `${number} ${title} docs/decisions/${file}`,
    );
    const wanted = entries.map(({ file, number, title }) => `${number} ${title} ${file}`);
    expect(listed.toSorted()).toEqual(wanted.toSorted());
  });

  it("that code names exist", () => {
    const sources = ["app", "lib", "db", "emails", "tests", "public"].flatMap((folder) =>
      filesBelow(folder, /\.(tsx?|m?js|mqh|mq5|py|css|sql)$/),
    );
    const named = sources.flatMap((path) =>
      [...read(path).matchAll(/\bdecisions? (\d+)(?: and (\d+))?\b/gi)].flatMap(([, ...numbers]) =>
        numbers.filter((number) => number !== undefined).map((number) => ({ path, number: Number(number) })),
      ),
    );
    expect(named.length).toBeGreaterThanOrEqual(20);
    expect(named.filter(({ number }) => !known.has(number))).toEqual([]);
  });

  it("that an entry names exist", () => {
    const named = filesBelow("docs/decisions", /\.md$/).flatMap((path) =>
      [...read(path).matchAll(/\b(?:decision|[Ss]upersede[sd](?: in part)? by) \[?(\d+)\b/g)].map(
        ([, number]) => ({ path, number: Number(number) }),
      ),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ number }) => !known.has(number))).toEqual([]);
  });
});

describe("links in the documents", () => {
  it("lead to files of the tree, and to headings that are there", () => {
    const links = documents.flatMap((from) =>
      [...read(from).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].map(
        ([, path, anchor]) => ({
          from,
          to: path ? relative(root, resolve(root, dirname(from), path)) : from,
          anchor,
        }),
      ),
    );
    expect(links.length).toBeGreaterThan(150);
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
