import { gunzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { PageCache } from "@/lib/server/pages/page-cache";
import type { FetchedPage } from "@/lib/server/pages/page-client";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const HOME = { address: "/", theme: "system" };

/** A page cache over a stand-in that records every fetched page, with a clock that tests move. */
function stage(answer: (n: number) => Partial<FetchedPage> = () => ({})) {
  let nowMs = 1_000;
  const fetched: string[] = [];
  const cache = new PageCache(
    {
      fetchPage: async (address, theme) => {
        fetched.push(`${address} ${theme}`);
        const body = Buffer.from(`<p>${fetched.length}</p><script src="/_next/a.js"></script>`);
        const headers = { "content-type": "text/html", link: "</_next/a.js>" };
        return { status: 200, headers, body, isUnavailable: false, ...answer(fetched.length) };
      },
    },
    () => nowMs,
  );
  const text = async (variant = HOME) => (await cache.get(variant)).html.toString();
  return {
    cache,
    fetched,
    text,
    later: (ms: number) => {
      nowMs += ms;
    },
  };
}

const settled = () => new Promise((done) => setTimeout(done, 50));

describe("cached pages", () => {
  it("a cached page preloads the fonts that Next preloads, and none of its scripts", async () => {
    const font = '</_next/a.woff2>; rel=preload; as="font"; crossorigin=""; type="font/woff2"';
    const link = `</_next/a.js>; rel=preload; as="script", ${font}`;
    const { cache } = stage(() => ({ headers: { "content-type": "text/html", link } }));
    expect((await cache.get(HOME)).headers.link).toBe(font);
    expect((await stage().cache.get(HOME)).headers.link).toBeUndefined();
  });

  it("a page is rendered once for concurrent requests, as HTML and as gzip of the same bytes", async () => {
    const { cache, fetched } = stage();
    const [page] = await Promise.all(Array.from({ length: 50 }, () => cache.get(HOME)));
    expect(fetched).toEqual(["/ system"]);
    expect(page?.html.toString()).toBe("<p>1</p>");
    expect(page && gunzipSync(page.gzip).equals(page.html)).toBe(true);
    expect(page?.headers).toEqual({ "content-type": "text/html", vary: "Accept-Encoding, Cookie" });
  });

  it("cached pages differ by address and theme", async () => {
    const { cache, fetched } = stage();
    for (const theme of ["dark", "light", "dark"])
      for (const address of ["/", "/record?symbol=A"]) await cache.get({ address, theme });
    expect(fetched).toHaveLength(4);
  });

  it("a cached page is served while the next one is rendered, and waited for when too old", async () => {
    const { text, later } = stage();
    expect(await text()).toBe("<p>1</p>");
    later(2_900);
    expect(await text()).toBe("<p>1</p>");
    later(200);
    expect(await text()).toBe("<p>1</p>");
    await vi.waitFor(async () => expect(await text()).toBe("<p>2</p>"));
    later(46_000);
    expect(await text()).toBe("<p>3</p>");
  });

  it("the cached status page is never served older than three seconds, also if the next rendering fails", async () => {
    const { text, later } = stage((n) => (n === 3 ? { status: 500, isUnavailable: true } : {}));
    const status = { address: "/status", theme: "system" };
    expect(await text(status)).toBe("<p>1</p>");
    later(2_900);
    expect(await text(status)).toBe("<p>1</p>");
    later(200);
    expect(await text(status)).toBe("<p>2</p>");
    later(3_100);
    await expect(text(status)).rejects.toMatchObject({ isUnavailable: true });
  });

  it("a cached page is served after a failed rendering until it is too old, and a failure is not cached", async () => {
    const { text, later } = stage((n) => (n === 2 || n === 3 ? { status: 500, isUnavailable: true } : {}));
    expect(await text()).toBe("<p>1</p>");
    later(4_000);
    expect(await text()).toBe("<p>1</p>");
    await settled();
    later(42_000);
    await expect(text()).rejects.toMatchObject({ isUnavailable: true });
    expect(await text()).toBe("<p>4</p>");
  });

  it("a cached page is rendered again after a change of settings", async () => {
    const { text } = stage();
    expect(await text()).toBe("<p>1</p>");
    const { stamp } = settingsCache().now;
    settingsCache().now.stamp = `${stamp} changed`;
    try {
      expect(await text()).toBe("<p>2</p>");
    } finally {
      settingsCache().now.stamp = stamp;
    }
  });
});
