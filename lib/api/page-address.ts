/**
 * Header with path and query of the rendered page, from the HTTP server to the page's guard: Next passes neither to a
 * layout.
 */
export const PAGE_ADDRESS_HEADER = "x-page-address";
