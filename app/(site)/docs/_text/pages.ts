import type { Token } from "marked";
import { blocksOf, type DocsBlock, markdownSourceOf } from "./blocks";
import { fillDocsPlaceholders } from "./docs-placeholders";
import { type DocsPageInfo, findDocsPage, listDocs } from "./files";
import { tokensOf } from "./tokens";

/** One page of the documentation. */
export interface DocsText {
  entry: DocsPageInfo;
  /** The first paragraph of the page's file. */
  lead: Token[];
  tokens: Token[];
}

/** The text of a page; null for an unknown name. */
export function readDocsText(name: string): DocsText | null {
  const found = findDocsPage(name);
  if (found === null) return null;
  const [first, ...tokens] = tokensOf(fillDocsPlaceholders(found.body)).filter(
    ({ type }) => type !== "space",
  );
  if (first?.type !== "paragraph") throw new Error(`docs/site/${name}.md does not begin with a paragraph`);
  return { entry: found.entry, lead: first.tokens ?? [], tokens };
}

/** All pages in reading order. */
export function readAllDocsTexts(): DocsText[] {
  return listDocs()
    .map(({ name }) => readDocsText(name))
    .filter((text) => text !== null);
}

/** A page as blocks, its title first. */
export function docsBlocks({ entry, lead, tokens }: DocsText): DocsBlock[] {
  const title: DocsBlock = { kind: "heading", level: 1, id: null, text: entry.title };
  return [title, { kind: "text", id: null, text: markdownSourceOf(lead) }, ...blocksOf(tokens)];
}

/** A page as Markdown with absolute links. */
export function docsTextAsMarkdown(text: DocsText, baseUrl: string): string {
  const written = docsBlocks(text).map((block) => {
    if (block.kind === "heading") return `${"#".repeat(block.level)} ${block.text}`;
    return block.kind === "code" ? `${block.name}:\n\n\`\`\`\n${block.code}\n\`\`\`` : block.text;
  });
  return `${written.join("\n\n").replaceAll(/\]\(\//g, `](${baseUrl}/`)}\n`;
}

/** The code block of a page with this name. Throws if there is none. */
export function docsCodeBlock(page: string, name: string): string {
  const text = readDocsText(page);
  const block = text && docsBlocks(text).find((one) => one.kind === "code" && one.name === name);
  if (block?.kind !== "code") throw new Error(`docs/site/${page}.md has no code named ${name}`);
  return block.code;
}
