import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The documentation: one Markdown file for each page, read when it is shown. The archive carries the folder. */
const folder = () => join(process.cwd(), "docs/site");

/** What a file says about its page between two lines of `---`. */
const FrontMatter = z.strictObject({
  title: z.string(),
  /** The page's name in the contents where the title is too long. */
  label: z.string().optional(),
  /** The part of the contents that it belongs to; parts stand in the order of their first pages. */
  group: z.string(),
  /** Place in the order in which pages are read. */
  order: z.string().regex(/^\d+$/).transform(Number),
  description: z.string(),
  /** Answers stand beside their requests, and the list of sections over the text. */
  wide: z.literal("true").optional(),
});

export interface DocsEntry extends z.output<typeof FrontMatter> {
  name: string;
  href: string;
  label: string;
}

const hrefOf = (name: string) => (name === "index" ? "/docs" : `/docs/${name}`);

const namesOfPages = (): string[] =>
  readdirSync(folder()).flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -".md".length)] : []));

/** Addresses of all pages. */
export const docsAddresses = (): string[] => namesOfPages().map(hrefOf);

function readFile(name: string): { entry: DocsEntry; body: string } {
  const text = readFileSync(join(folder(), `${name}.md`), "utf8");
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const fields = head.split("\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const said = FrontMatter.parse(Object.fromEntries(fields));
  return { entry: { ...said, label: said.label ?? said.title, name, href: hrefOf(name) }, body };
}

/** All pages in the order in which they are read. */
export function listDocs(): DocsEntry[] {
  return namesOfPages()
    .map((name) => readFile(name).entry)
    .toSorted((a, b) => a.order - b.order);
}

/** A page and its Markdown; null for a name that no page has. */
export function findDocs(name: string): { entry: DocsEntry; body: string } | null {
  return namesOfPages().includes(name) ? readFile(name) : null;
}
