import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GLOSSARY, GLOSSARY_GROUPS, LINKED_TERMS } from "@/app/_components/glossary";
import { Article } from "@/app/(site)/docs/_parts/article";
import { listDocs } from "@/app/(site)/docs/_text/files";
import {
  docsBlocks,
  docsCodeBlock,
  docsTextAsMarkdown,
  readAllDocsTexts,
  readDocsText,
} from "@/app/(site)/docs/_text/pages";
import { searchDocs } from "@/app/(site)/docs/_text/search";
import { GET as markdown } from "@/app/(site)/docs/markdown/[page]/route";
import { GET as llms } from "@/app/llms.txt/route";
import { TOOLS } from "@/app/mcp/tools";
import { hasFixedAddress, PAGES, sitemapPaths } from "@/app/pages";
import sitemap from "@/app/sitemap";
import { ScanItem } from "@/lib/wire/contracts/signals";
import { ERRORS } from "@/lib/wire/errors";
import { executionReportSchema } from "@/lib/wire/execution-report";
import { useDatabase } from "@/tests/support/database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const asked = (page: string) =>
  markdown(new Request(`https://signals.example.test/docs/${page}.md`), {
    params: Promise.resolve({ page }),
  });

const pageOf = (name: string): string => renderToStaticMarkup(<Article name={name} />);

/** The element ids of each page, by the page's address. */
const idsByAddress = () =>
  new Map(
    listDocs().map(({ name, href }) => [
      href,
      [...pageOf(name).matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id),
    ]),
  );

/** The names in the first column of the table with these headers. */
function namesIn(page: string, headers: string): string[] {
  const text = readDocsText(page);
  const tables = text ? docsBlocks(text).flatMap((block) => (block.kind === "text" ? [block.text] : [])) : [];
  const table = tables.find((one) => one.startsWith(headers)) ?? "";
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
}

useDatabase();

describe("the documentation as text", () => {
  it("the text of every documentation page has a title, over 600 characters and no unrendered markup", async () => {
    expect(listDocs().map(({ name }) => name)).toEqual(
      expect.arrayContaining(["index", "errors", "reference", "operations"]),
    );
    for (const text of readAllDocsTexts()) {
      const written = docsTextAsMarkdown(text, "https://signals.example.test");
      expect(written, text.entry.href).toMatch(/^# .+\n\n\S/);
      expect(written.length, text.entry.href).toBeGreaterThan(600);
      expect(written, text.entry.href).not.toMatch(
        /\]\(\/|\[object|undefined|<\/?(?:div|span|td|code)\b|^:::|^Table: |\{#|\{\{/m,
      );
    }
  });

  it("the text of a documentation page has its tables, lists, links and code as Markdown", async () => {
    const answer = await asked("signals");
    expect(answer.headers.get("content-type")).toContain("text/markdown");
    const text = await answer.text();
    expect(text).toContain("# Signals\n");
    expect(text).toContain("## Latest signals\n");
    expect(text).toContain(
      "| Field | Meaning |\n| --- | --- |\n| `symbol, timeframe` | The slot, for example EURUSD and H1. |",
    );
    expect(text).toMatch(/\[long polling or streaming\]\(https?:\/\/[^/]+\/docs\/live\)/);
    const start = await (await asked("index")).text();
    expect(start).toContain("curl:\n\n```\nexport BASE_URL=");
    expect(start).toMatch(/\n1\. Download \[SignalDelivery\.mqh\]/);
  });

  it("the text of an unknown documentation page is 404", async () => {
    for (const page of ["nothing", "constructor", "__proto__", "search", "../operations/README"])
      expect((await asked(page)).status, page).toBe(404);
  });

  it("llms.txt lists the text of every documentation page in order", async () => {
    const text = await llms().text();
    const addresses = [...text.matchAll(/\/docs\/([a-z-]+)\.md\)/g)].map(([, page = ""]) => page);
    expect(addresses).toEqual(listDocs().map(({ name }) => name));
    for (const page of addresses) expect((await asked(page)).status, page).toBe(200);
  });
});

describe("the pages of the documentation", () => {
  it("documentation pages show no unrendered markup", () => {
    for (const { name } of listDocs()) {
      const shown = pageOf(name)
        .replaceAll(/<(pre|code)\b.*?<\/\1>/gs, "")
        .replaceAll(/<[^>]*>/g, "");
      expect(shown, name).not.toMatch(/`|\*\*|\]\(|:::|\{#|\{\{|Table: |undefined/);
    }
  });

  it("documentation pages link to existing pages, files and sections, and have unique ids", () => {
    const ids = idsByAddress();
    const broken: string[] = [];
    for (const { name, href } of listDocs()) {
      expect(new Set(ids.get(href)).size, href).toBe(ids.get(href)?.length);
      for (const [, to = ""] of pageOf(name).matchAll(/ href="([^"]+)"/g)) {
        const [path = "", section] = to.startsWith("#") ? [href, to.slice(1)] : to.split("#");
        const isPage =
          ids.has(path) || path in PAGES || path === "/openapi.json" || /^https:|^\/docs\/.+\.md$/.test(to);
        if (!isPage && !existsSync(join("public", path))) broken.push(`${href} -> ${to}`);
        if (section !== undefined && !ids.get(path)?.includes(section)) broken.push(`${href} -> ${to}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("every section of the documentation that the code links to exists", () => {
    const ids = idsByAddress();
    const calls = execFileSync(
      "git",
      ["grep", "-hoE", 'paths\\.docs\\("[a-z-]+"(, "[a-z_]+")?\\)', "--", "app", "lib"],
      {
        encoding: "utf8",
      },
    );
    const links = [...calls.matchAll(/docs\("([a-z-]+)"(?:, "(\w+)")?/g)];
    expect(links.length).toBeGreaterThan(5);
    for (const [call, page = "", section] of links) {
      expect(ids.has(`/docs/${page}`), call).toBe(true);
      if (section !== undefined) expect(ids.get(`/docs/${page}`), call).toContain(section);
    }
    for (const word of Object.keys(GLOSSARY)) expect(ids.get("/docs/glossary")).toContain(word);
    for (const code of Object.keys(ERRORS)) expect(ids.get("/docs/errors")).toContain(code);
    expect(docsCodeBlock("webhooks-out", "Node: receive.mjs")).toContain("timingSafeEqual");
  });

  it("the documentation lists every field of a signal", () => {
    const named = namesIn("signals", "| Field |").flatMap((names) => names.split(", "));
    expect(named.toSorted()).toEqual(Object.keys(ScanItem.shape).toSorted());
  });

  it("the documentation lists every field of a report and every tool of the MCP server", () => {
    expect(namesIn("executions", "| Field |").toSorted()).toEqual(
      Object.keys(executionReportSchema.in.shape).toSorted(),
    );
    expect(namesIn("agents", "| Tool |")).toEqual(TOOLS.map(({ name }) => name));
  });

  it("the documentation contains the runbook, with headings, commands and every row of its tables", () => {
    const text = readDocsText("operations");
    const blocks = text ? docsBlocks(text) : [];
    const count = (wanted: string) => blocks.filter(({ kind }) => kind === wanted).length;
    expect(count("heading")).toBeGreaterThan(20);
    expect(count("code")).toBeGreaterThan(8);
    const shown = pageOf("operations");
    for (const word of [
      "systemctl restart",
      "npm run restore",
      "LedgerUnsigned",
      "pg_basebackup",
      'href="#secrets"',
    ])
      expect(shown).toContain(word);
    const rows = (source: string) => source.match(/^\| (?!---)/gm)?.length ?? 0;
    const written = ["README.md", "alerts.md"].map((name) =>
      readFileSync(join("docs/operations", name), "utf8"),
    );
    expect(shown.match(/<tr\b/g)?.length).toBe(rows(written.join("\n")));
  });
});

describe("a new documentation page", () => {
  afterEach(() => vi.restoreAllMocks());

  it("a new documentation page needs only its Markdown file", async () => {
    const folder = temporaryDirectory("docs-site-");
    mkdirSync(join(folder, "docs/site"), { recursive: true });
    const file = (name: string, title: string, order: number) =>
      writeFileSync(
        join(folder, "docs/site", `${name}.md`),
        `---\ntitle: ${title}\ngroup: Start\norder: ${order}\ndescription: What it is: a page.\n---\nA lead.\n\n## One\n\nText.\n`,
      );
    file("index", "First", 10);
    file("brand-new", "Brand new", 20);
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    expect(listDocs().map(({ label, href }) => [label, href])).toEqual([
      ["First", "/docs"],
      ["Brand new", "/docs/brand-new"],
    ]);
    expect(pageOf("brand-new")).toContain('<h2 id="one"');
    expect(await (await asked("brand-new")).text()).toBe("# Brand new\n\nA lead.\n\n## One\n\nText.\n");
    expect(await llms().text()).toContain("/docs/brand-new.md): What it is: a page.\n");
    expect(sitemapPaths()).toContain("/docs/brand-new");
    expect(sitemap().map(({ url }) => new URL(url).pathname)).toContain("/docs/brand-new");
    expect(hasFixedAddress("/docs/[page]", "/docs/brand-new")).toBe(true);
  });
});

describe("the documentation search", () => {
  it.each([
    ["signals", "/docs/signals"],
    ["key_rotated", "/docs/errors#key_rotated"],
    ["GET /api/scan", "/docs/reference#scan"],
    ["ece", "/docs/glossary#ece"],
    ["slot", "/docs/glossary#slot"],
  ])("the search finds the page for %j first", (query, href) => {
    expect(searchDocs(query)[0]?.href).toBe(href);
  });

  it("the search finds words in texts and in code", () => {
    const paths = (query: string) => searchDocs(query).map(({ href }) => href.replace(/#.*/, ""));
    expect(paths("X-RateLimit-Remaining")).toContain("/docs/limits");
    expect(paths("npm run restore")).toContain("/docs/operations");
  });

  it("the search matches prefixes, requires every word, and returns at most 20 results for odd input", () => {
    expect(searchDocs("gloss").map(({ href }) => href)).toContain("/docs/glossary");
    expect(searchDocs("signals xylophone")).toEqual([]);
    for (const query of ["", "   ", "?!", "<script>", "a".repeat(100)])
      expect(searchDocs(query).length, query).toBeLessThanOrEqual(20);
  });

  it("the search finds every error code", () => {
    for (const code of Object.keys(ERRORS))
      expect(
        searchDocs(code).map(({ href }) => href),
        code,
      ).toContain(`/docs/errors#${code}`);
  });
});

describe("the glossary", () => {
  it("the glossary has each term once, and every reference to a term exists", () => {
    const listed = GLOSSARY_GROUPS.flatMap(({ terms }) => terms);
    expect(listed.toSorted()).toEqual(Object.keys(GLOSSARY).toSorted());
    for (const word of Object.values(LINKED_TERMS)) expect(listed).toContain(word);
  });
});
