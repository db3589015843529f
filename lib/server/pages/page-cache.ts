import { settingsCache } from "@/lib/runtime/settings-cache";
import { StaleCache } from "@/lib/runtime/stale-cache";
import { SECOND_MS } from "@/lib/time";
import { type CachedPage, toCachedPage } from "./cached-page";
import type { PageClient } from "./page-client";

/** Maximum age of a page that is sent as it is. */
const FRESH_MS = 3 * SECOND_MS;
/** Maximum age of a page that is sent while a new one is fetched. If the page is older, visitors wait for the new one. */
const STALE_MS = 45 * SECOND_MS;
/** The page that must not be sent stale: it could say that all is well during an outage. */
const STATUS_PAGE = "/status";
/** Limit of cached pages. There are many addresses with names or a query, and most are requested once. */
const MAX_PAGES = 96;

/** Cache key of a plain page. Nothing else of a request reaches the page. */
export interface PageVariant {
  /** Path and query; of the query only the parameters that the page reads. */
  address: string;
  theme: string;
}

/**
 * Thrown if the page process answered with status 500 or above. `isUnavailable`: a dependency of the page does not
 * answer.
 */
export class PageFailedError extends Error {
  constructor(readonly isUnavailable: boolean) {
    super("could not render a page");
  }
}

/**
 * Cache of plain pages: a page up to 3 s old is sent as it is, and one up to 45 s old while a new one is fetched.
 * The status page is never sent older than 3 s. Concurrent visitors share one rendering. Failures are never cached, and
 * pages rendered with other settings are never sent.
 */
export class PageCache {
  readonly #pages: StaleCache<PageVariant, CachedPage>;

  constructor(client: Pick<PageClient, "fetchPage">, now?: () => number) {
    const options = { max: MAX_PAGES, ttlMs: FRESH_MS, staleMs: STALE_MS, now };
    this.#pages = new StaleCache(options, (variant) => fetchKept(client, variant));
  }

  /** Rejects with PageFailedError if the page failed, or with the client's error if the page process is down. */
  get(variant: PageVariant): Promise<CachedPage> {
    const key = `${settingsCache().now.stamp} ${variant.theme} ${variant.address}`;
    return this.#pages.get(key, variant, variant.address === STATUS_PAGE ? 0 : undefined);
  }
}

async function fetchKept(
  client: Pick<PageClient, "fetchPage">,
  { address, theme }: PageVariant,
): Promise<CachedPage> {
  const page = await client.fetchPage(address, theme);
  if (page.status >= 500) throw new PageFailedError(page.isUnavailable);
  return toCachedPage(page);
}
