import type { BenchGroup } from "./bench-group.ts";
import { atMost } from "./goal.ts";
import type { GrowthRow } from "./growth-row.ts";
import { BLOCKING_ROWS } from "./rows/blocking-rows.ts";
import { CLUSTER_ROWS } from "./rows/cluster-rows.ts";
import { COMING_BACK_ROWS } from "./rows/coming-back-rows.ts";
import { CORE_ROWS } from "./rows/core-rows.ts";
import { EXPORT_ROWS } from "./rows/export-rows.ts";
import { LIVED_ROWS } from "./rows/lived-rows.ts";
import { OPEN_ROWS } from "./rows/open-rows.ts";
import { QUESTION_ROWS } from "./rows/questions-rows.ts";
import { REAL_ROWS } from "./rows/real-rows.ts";
import { REALISTIC_ROWS } from "./rows/realistic-rows.ts";
import { REST_ROWS } from "./rows/rest-rows.ts";
import { FRESH_SIZE_ROWS, HISTORY_SIZE_ROWS } from "./rows/size-rows.ts";
import { SEARCH_ROWS } from "./rows/search-rows.ts";
import { START_ROWS } from "./rows/start-rows.ts";
import { STORE_ROWS, WRITE_ROWS } from "./rows/store-rows.ts";
import { CONNECTION_ROWS, FAN_OUT_ROWS, SYNC_ROWS } from "./rows/sync-rows.ts";

/** All that `npm run bench` measures, in the order of the tables. */
export const BENCH_GROUPS: readonly BenchGroup[] = [
  CORE_ROWS,
  FRESH_SIZE_ROWS,
  HISTORY_SIZE_ROWS,
  OPEN_ROWS,
  LIVED_ROWS,
  COMING_BACK_ROWS,
  REST_ROWS,
  EXPORT_ROWS,
  QUESTION_ROWS,
  SEARCH_ROWS,
  FAN_OUT_ROWS,
  SYNC_ROWS,
  CONNECTION_ROWS,
  BLOCKING_ROWS,
  STORE_ROWS,
  WRITE_ROWS,
  CLUSTER_ROWS,
  START_ROWS,
  REALISTIC_ROWS,
  REAL_ROWS,
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
  limit:
    "Look-ups by key and counted positions, nothing walks the outline: what grows is cache misses and the collector's work.",
}));
