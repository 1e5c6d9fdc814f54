import { allowTime, testRow } from "./expect-row.ts";
import { killRow } from "./kill-row.ts";
import { killAtStartRow } from "./kill-at-start-row.ts";
import { killCompactionRow } from "./kill-compaction-row.ts";

allowTime();

testRow(killRow, "[G2] nothing acknowledged is lost when the server is killed under load");
testRow(
  killCompactionRow,
  "[G3] nothing acknowledged is lost when the server is killed during a compaction",
);
testRow(
  killAtStartRow,
  "[G4] nothing is lost when a server is killed while it starts, and a printed key is one",
);
