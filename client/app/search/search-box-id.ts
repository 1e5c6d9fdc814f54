/** The search box's element: where the search command puts the caret. */
export const SEARCH_BOX_ID = "search-box";
