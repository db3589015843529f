/** Marks the links that open the search. Without a script they lead to its page. */
export const OPENS_SEARCH = "data-opens-search";
