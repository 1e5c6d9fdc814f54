import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openLevelDatabase, type OpenDatabase } from "../../client/lib/node/level-database.ts";
import { LevelReplicaStore } from "../../client/lib/node/level-replica-store.ts";
import { MemoryDisk } from "../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../support/memory-replica/memory-replica-store.ts";
import type { ReplicaStore } from "../../client/lib/store/replica-store.ts";

/** One place where a replica is stored, and what can happen to it. */
interface ReplicaStorePlace {
  open(): Promise<ReplicaStore>;
  /** Makes the next write fail in the middle, because nothing more fits. */
  fillUp(): void;
  /** Deletes everything behind the back of the handles that are open. */
  lose(): Promise<void>;
  remove(): Promise<void>;
}

/** Where the tests of a suite get their stores, each in a place of its own. */
export interface Places {
  readonly newPlace: () => Promise<ReplicaStorePlace>;
  readonly newStore: () => Promise<ReplicaStore>;
}

/** A driver as the contract suite sees it. */
export interface ReplicaStoreDriver {
  readonly name: string;
  /** How many handles of one place may be open at a time. */
  readonly handles: "one" | "many";
  newPlace(): Promise<ReplicaStorePlace>;
}

export const memoryReplicaDriver: ReplicaStoreDriver = {
  name: "memory",
  handles: "many",
  newPlace: async () => {
    const disk = new MemoryDisk();
    return {
      open: async () => new MemoryReplicaStore(disk),
      fillUp: () => disk.fail("full", 1),
      lose: async () => disk.lose(),
      remove: async () => undefined,
    };
  },
};

export const levelReplicaDriver: ReplicaStoreDriver = {
  name: "level",
  handles: "one",
  newPlace: async () => {
    const parent = await mkdtemp(join(tmpdir(), "outline-replica-"));
    const folder = join(parent, "replica");
    let isFull = false;
    const openFillable: OpenDatabase = async (path, options) => {
      const database = await openLevelDatabase(path, options);
      return {
        ...database,
        write: async (operations) => {
          if (!isFull) return database.write(operations);
          isFull = false;
          throw new Error("IO error: No space left on device");
        },
      };
    };
    return {
      open: () => LevelReplicaStore.open(folder, openFillable),
      fillUp: () => void (isFull = true),
      lose: () => rm(folder, { recursive: true }),
      remove: () => rm(parent, { recursive: true }),
    };
  },
};
