/** Carries path and query of the page being made from the front to its guard: Next tells a layout neither. */
export const PAGE_ADDRESS_HEADER = "x-page-address";
