import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { FaultyDisk, gate } from "../../store/support/faulty-disk.ts";

/** A way in which a store fails, and how that has to look. */
export interface Fault {
  readonly name: string;
  /** How long it fails at least; 0: once. */
  readonly lastsMs: number;
  /** How long it may fail before anybody can know; undefined: too short to be known as a failure. */
  readonly knownAfterMs: number | undefined;
  begin(): void;
  /** Whether it bites: what little fits on a full disk is still stored. */
  hasBegun(): boolean;
  end(): void;
}

/** A LevelDB store in a folder of its own, and what can be done to it. */
export interface BreakableStore {
  readonly store: LevelStore;
  /** Whether it is the world that fails, and not what stands in for it. */
  readonly isReal: boolean;
  /** Taken in turn. */
  readonly faults: readonly Fault[];
  /** The store again, as after a start, once it was closed. */
  reopen(): Promise<LevelStore>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

/** As long as an append may take before it counts as failed. */
const APPEND_TIMEOUT_MS = 5_000;

const OUTAGE_MS = 3_500;

export async function openFailingStore(): Promise<BreakableStore> {
  const folder = await mkdtemp(join(tmpdir(), "outline-failing-"));
  const disk = new FaultyDisk();
  const options = { now: Date.now, randomBytes };
  return {
    store: await LevelStore.open(folder, { ...options, openDatabase: disk.open }),
    isReal: false,
    faults: [
      refusing(disk),
      once(disk, "lost"),
      once(disk, "written"),
      hanging(disk, "hangs", OUTAGE_MS, undefined),
      hanging(disk, "hangs until given up", APPEND_TIMEOUT_MS + 1_000, APPEND_TIMEOUT_MS),
    ],
    reopen: () => LevelStore.open(folder, options),
    remove: () => rm(folder, { recursive: true }),
  };
}

function refusing(disk: FaultyDisk): Fault {
  return {
    name: "refuses",
    lastsMs: OUTAGE_MS,
    knownAfterMs: 0,
    hasBegun: () => true,
    begin() {
      disk.break("lost");
      disk.canOpen = false;
      disk.readFault = "LEVEL_IO_ERROR";
    },
    end() {
      disk.heal();
      disk.readFault = undefined;
    },
  };
}

/** One fsync that fails: what it was for has reached the disk, or has not. */
function once(disk: FaultyDisk, fault: "lost" | "written"): Fault {
  return {
    name: `fails once, ${fault}`,
    lastsMs: 0,
    knownAfterMs: 0,
    hasBegun: () => true,
    begin() {
      disk.faultOf = () => {
        disk.heal();
        return fault;
      };
    },
    end: () => disk.heal(),
  };
}

/** Answers nothing, and does all of it in the end. */
function hanging(
  disk: FaultyDisk,
  name: string,
  lastsMs: number,
  knownAfterMs: number | undefined,
): Fault {
  let open = (): void => undefined;
  return {
    name,
    lastsMs,
    knownAfterMs,
    hasBegun: () => true,
    begin() {
      const { passed, open: letGo } = gate();
      open = letGo;
      disk.beforeWrite = () => passed;
      disk.beforeOpen = () => passed;
      disk.beforePage = () => passed;
    },
    end() {
      disk.beforeWrite = () => Promise.resolve();
      disk.beforeOpen = () => Promise.resolve();
      disk.beforePage = () => Promise.resolve();
      open();
    },
  };
}
