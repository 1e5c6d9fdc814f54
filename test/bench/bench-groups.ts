import type { BenchGroup } from "./bench-group.ts";
import { atMost } from "./goal.ts";
import type { GrowthRow } from "./growth-row.ts";
import { CORE_ROWS } from "./rows/core-rows.ts";
import { CREATE_ROWS, HTTP_ROWS } from "./rows/rest-rows.ts";
import { STORE_ROWS } from "./rows/store-rows.ts";
import { SYNC_ROWS } from "./rows/sync-rows.ts";

/** All that `npm run bench` measures, in the order of the table. */
export const BENCH_GROUPS: readonly BenchGroup[] = [
  CORE_ROWS,
  STORE_ROWS,
  HTTP_ROWS,
  CREATE_ROWS,
  SYNC_ROWS,
];

/** What must not grow with the outline. */
export const GROWTH_ROWS: readonly GrowthRow[] = [
  ["retrieve", "GET one node"],
  ["list-20", "GET a list of 20 children"],
  ["create", "POST a node"],
].map(([of = "", what = ""]) => ({
  id: `${of}-growth`,
  what: `${what}: at 1,000,000 nodes over at 1,000`,
  of,
  from: "1,000",
  to: "1,000,000",
  goal: atMost(1.5),
  limit: "Look-ups by key and counted positions: nothing walks the outline.",
}));
