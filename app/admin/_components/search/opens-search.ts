/** Marks links that open the search dialog. Without JavaScript they lead to the search page. */
export const OPENS_SEARCH = "data-opens-search";
