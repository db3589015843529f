/**
 * Header in which the HTTP server passes path and query of a page to the page's guard, because Next passes neither to a
 * layout.
 */
export const PAGE_ADDRESS_HEADER = "x-page-address";

/** Header that the portal's script sends when it fetches an open page again. */
export const PAGE_REFRESH_HEADER = "x-page-refresh";
