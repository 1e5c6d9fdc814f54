import { benchGroup, upTo } from "../bench-group.ts";
import { atMost } from "../goal.ts";
import { benchSearch, type SearchFigures } from "../search.ts";

const LARGE = 100_000;

/** Searches over the API, of the built server in a process of its own. */
export const SEARCH_ROWS = benchGroup<SearchFigures>({
  name: "search",
  title: "Search by the API",
  sizes: [LARGE],
  measure: (nodes) => benchSearch(nodes),
  rows: [
    {
      id: "search-word",
      what: "a word, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(20)),
      floor: "each name in lower case is asked whether it has the word",
      limit: "Each node is looked at: two letters that it lacks are mostly enough.",
      read: ({ wordMs, floorMs }) => ({ measured: wordMs, floor: floorMs }),
    },
    {
      id: "search-worst",
      what: "the dearest of five queries with up to 50 terms, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(60)),
      limit: "Fifty times as many letters are asked for; or all that is found is sorted.",
      read: ({ worstMs }) => ({ measured: worstMs }),
    },
    {
      id: "search-stall",
      what: "longest stall of the event loop in any of them, half of the times at most, by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(20)),
      limit: "A step takes a third of a millisecond, several of them a turn.",
      read: ({ stallMs }) => ({ measured: stallMs }),
    },
  ],
});
