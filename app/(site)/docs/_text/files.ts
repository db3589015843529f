import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** One Markdown file for each page, read when the page is rendered. The release archive contains the folder. */
const folder = () => join(process.cwd(), "docs/site");

/** The front matter of a page. */
const FrontMatter = z.strictObject({
  title: z.string(),
  /** The page's name in the table of contents if the title is too long. */
  label: z.string().optional(),
  /** The page's group in the table of contents. Groups are ordered by their first page. */
  group: z.string(),
  /** Position among all pages. */
  order: z.string().regex(/^\d+$/).transform(Number),
  description: z.string(),
  /** Set for a wide page, which shows responses next to their requests and the table of contents above the text. */
  wide: z.literal("true").optional(),
});

export interface DocsPageInfo extends z.output<typeof FrontMatter> {
  name: string;
  href: string;
  label: string;
}

const hrefOf = (name: string) => (name === "index" ? "/docs" : `/docs/${name}`);

const namesOfPages = (): string[] =>
  readdirSync(folder()).flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -".md".length)] : []));

/** Paths of all pages. */
export const docsPaths = (): string[] => namesOfPages().map(hrefOf);

function readFile(name: string): { entry: DocsPageInfo; body: string } {
  const text = readFileSync(join(folder(), `${name}.md`), "utf8");
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const fields = head.split("\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const said = FrontMatter.parse(Object.fromEntries(fields));
  return { entry: { ...said, label: said.label ?? said.title, name, href: hrefOf(name) }, body };
}

/** All pages in reading order. */
export function listDocs(): DocsPageInfo[] {
  return namesOfPages()
    .map((name) => readFile(name).entry)
    .toSorted((a, b) => a.order - b.order);
}

/** A page and its Markdown; null for an unknown name. */
export function findDocsPage(name: string): { entry: DocsPageInfo; body: string } | null {
  return namesOfPages().includes(name) ? readFile(name) : null;
}
