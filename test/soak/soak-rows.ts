import { ABUSE_ROWS } from "./abuse-row.ts";
import { CLUSTER_ROWS } from "./cluster-row.ts";
import { clusterSimulationRow } from "./cluster-simulation-row.ts";
import { clusterVolumeRow } from "./cluster-volume-row.ts";
import { convergenceRow } from "./convergence-row.ts";
import { eventKillsRow } from "./event-kills-row.ts";
import { historiesRow } from "./histories-row.ts";
import { failingStoreRow } from "./failing-store-row.ts";
import { slowLineRow } from "./slow-line-row.ts";
import { slowReaderRow } from "./slow-reader-row.ts";
import { hostileMessagesRow } from "./hostile-messages-row.ts";
import { hostileRequestsRow } from "./hostile-requests-row.ts";
import { keysRow } from "./keys-row.ts";
import { killRow } from "./kill-row.ts";
import { killCompactionRow } from "./kill-compaction-row.ts";
import { costRow } from "./cost-row.ts";
import { logCutRow } from "./log-cut-row.ts";
import { bitFlipRow } from "./bit-flip-row.ts";
import { connectionsRow } from "./connections-row.ts";
import { killAtStartRow } from "./kill-at-start-row.ts";
import { longDayRow } from "./long-day-row.ts";
import { powerCutRow } from "./power-cut-row.ts";
import { returnRow } from "./return-row.ts";
import { onceKillsRow } from "./once-kills-row.ts";
import { mixedLoadRow } from "./mixed-load-row.ts";
import { simulationRow } from "./simulation-row.ts";
import type { SoakRow } from "./soak-row.ts";
import { webhookKillsRow } from "./webhook-kills-row.ts";

/** Every fault that is proved, in the order in which the table has them. */
export const SOAK_ROWS: readonly SoakRow[] = [
  convergenceRow,
  historiesRow,
  simulationRow,
  killRow,
  killCompactionRow,
  killAtStartRow,
  webhookKillsRow,
  eventKillsRow,
  onceKillsRow,
  logCutRow,
  bitFlipRow,
  powerCutRow,
  failingStoreRow,
  slowReaderRow,
  slowLineRow,
  hostileMessagesRow,
  hostileRequestsRow,
  costRow,
  keysRow,
  connectionsRow,
  returnRow,
  longDayRow,
  clusterSimulationRow,
  clusterVolumeRow,
  ...CLUSTER_ROWS,
  ...ABUSE_ROWS,
  mixedLoadRow,
];
