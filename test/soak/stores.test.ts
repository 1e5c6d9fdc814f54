import { allowTime, testRow } from "./expect-row.ts";
import { bitFlipRow } from "./bit-flip-row.ts";
import { clusterVolumeRow } from "./cluster-volume-row.ts";
import { failingStoreRow } from "./failing-store-row.ts";
import { logCutRow } from "./log-cut-row.ts";
import { powerCutRow } from "./power-cut-row.ts";

allowTime();

testRow(powerCutRow, "[G23] a power cut takes nothing that was acknowledged");
testRow(
  bitFlipRow,
  "[G6] whatever bit of a store flips, nothing is served wrong, and what is lost is told",
);
testRow(
  logCutRow,
  "[G5] wherever its log is cut off, nothing is lost after a crash, and after a close what is lost is told",
);
testRow(failingStoreRow, "[G7] a store that fails for a while is told of, and nothing is lost");
testRow(
  clusterVolumeRow,
  "[P6] in a database no more is stored than the log keeps behind a snapshot",
);
