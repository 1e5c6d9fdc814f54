import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { FaultyDisk } from "../../store/support/faulty-disk.ts";
import type { BreakableStore, Fault } from "./breakable-store.ts";
import { SmallDisk } from "./small-disk.ts";

const FULL_MS = 3_500;

const FULL = { name: "has a full disk", lastsMs: FULL_MS, knownAfterMs: 0 } as const;

/** A store on a disk that can really be full; where none can be mounted, on one that says it is. */
export async function openFullDiskStore(): Promise<BreakableStore> {
  const disk = await SmallDisk.mount();
  return disk === undefined ? onPretendingDisk() : onSmallDisk(disk);
}

async function onSmallDisk(disk: SmallDisk): Promise<BreakableStore> {
  const folder = join(disk.folder, "store");
  let hasBegun = false;
  const onFailure = (): void => {
    hasBegun = true;
  };
  const options = { now: Date.now, randomBytes, events: { onFailure } };
  const fault: Fault = {
    ...FULL,
    begin() {
      hasBegun = false;
      disk.fill();
    },
    hasBegun: () => hasBegun,
    end: () => disk.free(),
  };
  try {
    return {
      store: await LevelStore.open(folder, options),
      isReal: true,
      faults: [fault],
      reopen: () => LevelStore.open(folder, options),
      remove: () => disk.unmount(),
    };
  } catch (error) {
    await disk.unmount();
    throw error;
  }
}

async function onPretendingDisk(): Promise<BreakableStore> {
  const folder = await mkdtemp(join(tmpdir(), "outline-full-"));
  const disk = new FaultyDisk();
  const options = { now: Date.now, randomBytes };
  const fault: Fault = {
    ...FULL,
    begin() {
      disk.break("lost");
      disk.canOpen = false;
    },
    hasBegun: () => true,
    end: () => disk.heal(),
  };
  return {
    store: await LevelStore.open(folder, { ...options, openDatabase: disk.open }),
    isReal: false,
    faults: [fault],
    reopen: () => LevelStore.open(folder, options),
    remove: () => rm(folder, { recursive: true }),
  };
}
