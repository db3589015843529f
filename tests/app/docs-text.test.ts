import { describe, expect, it, vi } from "vitest";
import { GLOSSARY, GLOSSARY_GROUPS, MARKS } from "@/app/_components/glossary";
import { DOCS_PAGES } from "@/app/(site)/docs/(text)/_parts/contents";
import { readAllDocsTexts, readDocsText, toMarkdown } from "@/app/(site)/docs/(text)/_text/pages";
import { searchDocs } from "@/app/(site)/docs/(text)/_text/search";
import { GET as markdown } from "@/app/(site)/docs/markdown/[page]/route";
import { GET as llms } from "@/app/llms.txt/route";
import { ERRORS } from "@/lib/wire/errors";
import { useDatabase } from "@/tests/support/database";

const asked = (page: string) =>
  markdown(new Request(`https://signals.example.test/docs/${page}.md`), {
    params: Promise.resolve({ page }),
  });

useDatabase();

// It tells Next to make a page for each request, and there is no request of Next's here.
vi.mock("next/server", async (original) => ({
  ...(await original<object>()),
  connection: async () => undefined,
}));

describe("the documentation as text", () => {
  it("has every page of the contents, with its title, its sections and its code", async () => {
    const texts = await readAllDocsTexts();
    expect(texts.map(({ href }) => href).toSorted()).toEqual(DOCS_PAGES.map(({ href }) => href).toSorted());
    for (const text of texts) {
      const written = toMarkdown(text, "https://signals.example.test");
      expect(written, text.href).toMatch(/^# .+\n\n\S/);
      expect(written.length, text.href).toBeGreaterThan(600);
      expect(written, text.href).not.toMatch(/\]\(\/|\[object|<\/?(?:div|span|td|code)\b/);
    }
  });

  it("writes tables, lists, links and code as Markdown", async () => {
    const answer = await asked("signals");
    expect(answer.headers.get("content-type")).toContain("text/markdown");
    const text = await answer.text();
    expect(text).toContain("# Signals\n");
    expect(text).toContain("## The newest of each slot\n");
    expect(text).toContain(
      "| Field | Meaning |\n| --- | --- |\n| `symbol, timeframe` | The slot, for example EURUSD and H1. |",
    );
    expect(text).toMatch(/\[wait or stream\]\(https?:\/\/[^/]+\/docs\/live\)/);
    const start = await (await asked("index")).text();
    expect(start).toContain("curl:\n\n```\nexport BASE_URL=");
    expect(start).toMatch(/\n1\. Download \[SignalDelivery\.mqh\]/);
    const runbook = await readDocsText("operations");
    expect(runbook?.blocks.filter(({ kind }) => kind === "code").length).toBeGreaterThan(8);
  });

  it("has no text for a page that is not there", async () => {
    for (const page of ["nothing", "constructor", "__proto__", "search"])
      expect((await asked(page)).status, page).toBe(404);
  });

  it("is named in llms.txt, page by page", async () => {
    const text = await llms().text();
    const addresses = [...text.matchAll(/\/docs\/([a-z-]+)\.md\)/g)].map(([, page = ""]) => page);
    expect(addresses).toHaveLength(DOCS_PAGES.length);
    for (const page of addresses) expect((await asked(page)).status, page).toBe(200);
  });
});

describe("the search of the documentation", () => {
  it.each([
    ["signals", "/docs/signals"],
    ["key_rotated", "/docs/errors#key_rotated"],
    ["GET /api/scan", "/docs/reference#scan"],
    ["ece", "/docs/glossary#ece"],
    ["slot", "/docs/glossary#slot"],
  ])("has what is called %j first", async (query, href) => {
    expect((await searchDocs(query))[0]?.href).toBe(href);
  });

  it("finds what stands in texts and in code", async () => {
    const paths = async (query: string) =>
      (await searchDocs(query)).map(({ href }) => href.replace(/#.*/, ""));
    expect(await paths("X-RateLimit-Remaining")).toContain("/docs/limits");
    expect(await paths("npm run restore")).toContain("/docs/operations");
  });

  it("finds by the beginning of a word, wants every word, and finds nothing for nothing", async () => {
    expect((await searchDocs("gloss")).map(({ href }) => href)).toContain("/docs/glossary");
    expect(await searchDocs("signals xylophone")).toEqual([]);
    for (const query of ["", "   ", "?!", "<script>", "a".repeat(100)])
      expect((await searchDocs(query)).length, query).toBeLessThanOrEqual(20);
  });

  it("knows every error code", async () => {
    for (const code of Object.keys(ERRORS))
      expect(
        (await searchDocs(code)).map(({ href }) => href),
        code,
      ).toContain(`/docs/errors#${code}`);
  });
});

describe("the glossary", () => {
  it("has each of its words once, and every mark leads to one", () => {
    const listed = GLOSSARY_GROUPS.flatMap(({ words }) => words);
    expect(listed.toSorted()).toEqual(Object.keys(GLOSSARY).toSorted());
    for (const word of Object.values(MARKS)) expect(listed).toContain(word);
  });
});
