import { settingsCache } from "@/lib/runtime/settings-cache";
import { StaleCache } from "@/lib/runtime/stale-cache";
import { SECOND_MS } from "@/lib/time";
import { type CachedPage, withoutScripts } from "./cached-page";
import type { PageClient } from "./page-client";

/** How long a page is sent before it is fetched again. */
const FRESH_MS = 3 * SECOND_MS;
/** Until this age it is sent while the next one is fetched; an older one is worth waiting for. */
const STALE_MS = 45 * SECOND_MS;
/** Pages with names or a query in their address are many, and most are asked for once. */
const MAX_PAGES = 96;

/** What makes one plain page differ from another. Nothing else of a request reaches the page. */
export interface PageVariant {
  /** Path and query, of the query only what the page reads. */
  address: string;
  theme: string;
}

/** The page process answered with an error. */
export class PageFailedError extends Error {
  constructor(readonly isUnavailable: boolean) {
    super("the page could not be rendered");
  }
}

/**
 * Plain pages, kept for a few seconds: each is fetched once at a time, however many visitors wait for it. A failure is
 * never kept, and nothing that was rendered for other settings is sent.
 */
export class PageCache {
  readonly #pages: StaleCache<PageVariant, CachedPage>;

  constructor(client: Pick<PageClient, "fetchPage">, now?: () => number) {
    const options = { max: MAX_PAGES, ttlMs: FRESH_MS, staleMs: STALE_MS, now };
    this.#pages = new StaleCache(options, (variant) => fetchKept(client, variant));
  }

  /** Rejects with PageFailedError when the page failed, or as the client does when the page process is away. */
  get(variant: PageVariant): Promise<CachedPage> {
    return this.#pages.get(`${settingsCache().now.stamp} ${variant.theme} ${variant.address}`, variant);
  }
}

async function fetchKept(
  client: Pick<PageClient, "fetchPage">,
  { address, theme }: PageVariant,
): Promise<CachedPage> {
  const page = await client.fetchPage(address, theme);
  if (page.status >= 500) throw new PageFailedError(page.isUnavailable);
  return withoutScripts(page);
}
