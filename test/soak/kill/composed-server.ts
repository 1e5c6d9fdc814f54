/**
 * The service on LevelDB with other parts than the real server's: broken on purpose, or ending at a
 * place that can't be met from outside. Prints what the real server prints when it is ready. The
 * argument is a Composition, in JSON.
 */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { banner } from "../../../src/banner.ts";
import type { OpenDatabase } from "../../../src/store/database.ts";
import { openLevelDatabase } from "../../../src/store/level/level-database.ts";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { startService } from "../../support/service.ts";
import { neverSyncing } from "../power-cut/never-syncing.ts";
import type { Breakage, Composition } from "./composition.ts";
import { dyingInCompaction } from "./dying-in-compaction.ts";
import { trimmingFirst } from "./trimming-first.ts";
import { writingBehind } from "./write-behind.ts";

const BROKEN: Readonly<Record<Breakage, (open: OpenDatabase) => OpenDatabase>> = {
  "acknowledges-early": writingBehind,
  "trims-before-saving": trimmingFirst,
  "never-syncs": neverSyncing,
};

const OFTEN = { tail: { updates: 20, bytes: 4096 }, documentLimits: { minCompactionBytes: 4096 } };

const { broken, death, compactsOften = false } = JSON.parse(process.argv[2] ?? "{}") as Composition;

// Whoever reads back what is there first must not be met.
let isMortal = false;
process.on("SIGUSR2", () => (isMortal = true));
let openDatabase = openLevelDatabase;
if (death !== undefined) openDatabase = dyingInCompaction(openDatabase, death, () => isMortal);
if (broken !== undefined) openDatabase = BROKEN[broken](openDatabase);

const data = process.env["OUTLINE_DATA"] ?? "";
await mkdir(data, { recursive: true });
const store = await LevelStore.open(join(data, "store"), {
  now: Date.now,
  randomBytes,
  openDatabase,
  ...(compactsOften && { tail: OFTEN.tail }),
});
const { url, key } = await startService({
  store,
  exportLimitMs: 0,
  ...(compactsOften && { documentLimits: OFTEN.documentLimits }),
});
process.stdout.write(banner({ version: "composed", url, firstKey: { kind: "printed", key } }));
