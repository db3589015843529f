/**
 * Header with path and query of the rendered page, from the HTTP server to the page's guard: Next passes neither to a
 * layout.
 */
export const PAGE_ADDRESS_HEADER = "x-page-address";

/** Header of the portal's script when it fetches an open page again. */
export const REFRESH_HEADER = "x-page-refresh";
