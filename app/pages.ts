/** The list of all pages: the area of each, whether it is public and cached, and whether it is in the sitemap. */
import { docsPaths } from "./(site)/docs/_text/files";

export interface PageEntry {
  area: "site" | "login" | "portal" | "admin" | "workshop";
  /**
   * A public page that is the same for every visitor, cached for a few seconds and sent without the framework's
   * scripts.
   */
  plain: boolean;
  /** Query parameters that a page with `plain` reads. All others are removed before it is rendered. */
  query: readonly string[];
  /** Whether the page is in the sitemap. */
  listed: boolean;
}

const plain = (query: readonly string[] = []): PageEntry => ({
  area: "site",
  plain: true,
  query,
  listed: false,
});
const listed = (query: readonly string[] = []): PageEntry => ({ ...plain(query), listed: true });
const own = (area: PageEntry["area"]): PageEntry => ({
  area,
  plain: false,
  query: [],
  listed: false,
});

/** Every page by its path template. A test compares the list with the file tree. */
export const PAGES = {
  "/": listed(),
  "/changelog": listed(),
  "/docs": listed(),
  // The sitemap lists one address for each file of docs/site.
  "/docs/[page]": plain(),
  "/docs/search": plain(["q"]),
  "/imprint": listed(),
  "/models/[id]": plain(),
  "/privacy": listed(),
  "/r/[token]": own("site"),
  "/record": listed(["symbol", "tf", "model", "period", "sort", "order", "table", "trades"]),
  "/record/[symbol]/[tf]": plain(["model", "period", "after", "table", "list"]),
  "/risk": listed(),
  "/security": listed(),
  "/status": listed(),
  "/terms": listed(),
  "/verify": listed(),
  "/login": own("login"),
  "/login/account": own("login"),
  "/login/account/done": own("login"),
  "/login/confirm": own("login"),
  "/login/mails": own("login"),
  "/login/sent": own("login"),
  "/login/subscriptions": own("login"),
  "/login/texts": own("login"),
  "/login/try-out": own("login"),
  "/portal": own("portal"),
  "/portal/[...rest]": own("portal"),
  "/portal/delivery": own("portal"),
  "/portal/delivery/webhooks/[id]": own("portal"),
  "/portal/delivery/webhooks/[id]/secret": own("portal"),
  "/portal/executions": own("portal"),
  "/portal/executions/[id]": own("portal"),
  "/portal/executions/list": own("portal"),
  "/portal/key": own("portal"),
  "/portal/key/new": own("portal"),
  "/portal/payments": own("portal"),
  "/portal/record": own("portal"),
  "/portal/settings": own("portal"),
  "/portal/setup": own("portal"),
  "/portal/signals": own("portal"),
  "/portal/signals/[symbol]/[tf]": own("portal"),
  "/portal/signals/history": own("portal"),
  "/admin": own("admin"),
  "/admin/[...rest]": own("admin"),
  "/admin/alerts": own("admin"),
  "/admin/delivery": own("admin"),
  "/admin/feeds": own("admin"),
  "/admin/mail": own("admin"),
  "/admin/mail/[id]": own("admin"),
  "/admin/mail/notice": own("admin"),
  "/admin/mail/templates": own("admin"),
  "/admin/models": own("admin"),
  "/admin/models/[symbol]/[tf]": own("admin"),
  "/admin/models/upload": own("admin"),
  "/admin/operations": own("admin"),
  "/admin/operations/audit": own("admin"),
  "/admin/payments": own("admin"),
  "/admin/payments/[id]": own("admin"),
  "/admin/payments/credits": own("admin"),
  "/admin/payments/platforms": own("admin"),
  "/admin/payments/weeks": own("admin"),
  "/admin/recovery-codes": own("admin"),
  "/admin/search": own("admin"),
  "/admin/settings": own("admin"),
  "/admin/settings/access": own("admin"),
  "/admin/settings/brand": own("admin"),
  "/admin/settings/calendars": own("admin"),
  "/admin/settings/people": own("admin"),
  "/admin/settings/plans": own("admin"),
  "/admin/settings/plans/[name]": own("admin"),
  "/admin/settings/plans/new": own("admin"),
  "/admin/settings/products": own("admin"),
  "/admin/settings/service": own("admin"),
  "/admin/settings/symbols": own("admin"),
  "/admin/settings/texts": own("admin"),
  "/admin/settings/texts/[name]": own("admin"),
  "/admin/settings/thresholds": own("admin"),
  "/admin/settings/transfer": own("admin"),
  "/admin/setup": own("admin"),
  "/admin/sign-in": own("admin"),
  "/admin/sign-in/link": own("admin"),
  "/admin/signals": own("admin"),
  "/admin/signals/[symbol]/[tf]": own("admin"),
  "/admin/status": own("admin"),
  "/admin/subscribers": own("admin"),
  "/admin/subscribers/[id]": own("admin"),
  "/admin/subscribers/[id]/key": own("admin"),
  "/admin/subscribers/extend": own("admin"),
  "/admin/subscribers/new": own("admin"),
  "/admin/subscribers/stop": own("admin"),
  "/gallery": own("workshop"),
} satisfies Record<string, PageEntry>;

const entries: ReadonlyMap<string, PageEntry> = new Map(Object.entries(PAGES));

/** Whether the page with this path template is plain: public, cached, and the same for every visitor. */
export function isCacheablePage(template: string): boolean {
  return entries.get(template)?.plain ?? false;
}

/** Paths of all pages in the sitemap. */
export const sitemapPaths = (): string[] => {
  const templates = [...entries].filter(([, { listed }]) => listed).map(([template]) => template);
  return [...new Set([...templates, ...docsPaths()])];
};

/**
 * Whether a path is one of a fixed set: a template without parameters, or a page of the documentation. If such a page
 * is plain and has no query, it is rendered at most once every few seconds, so requests for it need no rate limit.
 */
export const hasFixedAddress = (template: string, path: string): boolean =>
  template === path || (template === "/docs/[page]" && docsPaths().includes(path));

/** Longest accepted value of a query parameter, in characters; no cached public page has a longer valid one. */
const LONGEST_VALUE = 120;

/**
 * The part of an address's query that the page of this template reads, with its parameters in a fixed order; "" if
 * there is none. It is part of the key of the page cache, so no other parameter may reach the page.
 */
export function cacheableQuery(template: string, address: string): string {
  const names = entries.get(template)?.query ?? [];
  const at = address.indexOf("?");
  if (names.length === 0 || at < 0) return "";
  const query = new URLSearchParams(address.slice(at));
  const read = names.flatMap((name): [string, string][] => {
    const value = query.get(name);
    return value && value.length <= LONGEST_VALUE ? [[name, value]] : [];
  });
  return read.length > 0 ? `?${new URLSearchParams(read)}` : "";
}
