import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseMarkdown, parseSpans } from "@/app/(site)/docs/(text)/operations/parse-markdown";

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/operations/${name}`, import.meta.url)), "utf8");

describe("the runbook on the site", () => {
  const blocks = ["README.md", "alerts.md"].flatMap((name) => parseMarkdown(read(name)));
  const texts = blocks.flatMap((block) => {
    if (block.kind === "code") return [];
    if (block.kind === "list") return block.items;
    return block.kind === "table" ? block.rows.flat() : [block.text];
  });

  it("has all of the document: headings, tables with every cell, commands", () => {
    const count = (wanted: string) => blocks.filter(({ kind }) => kind === wanted).length;
    expect(count("heading")).toBeGreaterThan(20);
    expect(count("code")).toBeGreaterThan(8);
    for (const block of blocks)
      if (block.kind === "table")
        for (const row of block.rows) expect(row, row.join(" | ")).toHaveLength(block.headers.length);
    const shown = blocks.map((block) => JSON.stringify(block)).join("");
    for (const word of ["systemctl restart", "npm run restore", "LedgerUnsigned", "pg_basebackup"])
      expect(shown).toContain(word);
  });

  it("holds nothing that would be shown as it is written", () => {
    for (const text of texts) {
      expect(text, text).not.toMatch(/^(#|>|\d+\. |\* |\||```)/);
      const plain = parseSpans(text).filter(({ kind }) => kind === "text");
      for (const span of plain) expect(span.text, text).not.toMatch(/`|\*\*|\]\(/);
    }
  });

  it("links to its own sections only where they are", () => {
    const ids = blocks.flatMap((block) => (block.kind === "heading" ? [block.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const links = texts.flatMap(parseSpans).flatMap((span) => (span.kind === "link" ? [span.to] : []));
    expect(links).toContain("#secrets");
    for (const to of links) if (to.startsWith("#")) expect(ids).toContain(to.slice(1));
  });
});
