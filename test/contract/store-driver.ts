import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";

import type { AccountStore } from "../../src/accounts/account-store.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { OutlineLog } from "../../src/documents/log/outline-log.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import type { TailLimits } from "../../src/store/tail-limits.ts";

export interface DriverOptions {
  readonly now?: () => number;
  readonly tail?: TailLimits;
}

export interface OpenStore {
  readonly log: OutlineLog;
  readonly accounts: AccountStore;
}

/** One place where a store can be opened, again and again. */
interface StorePlace {
  open(options?: DriverOptions): Promise<OpenStore>;
  remove(): Promise<void>;
}

/** A driver as the contract suites see it. */
export interface StoreDriver {
  readonly name: string;
  newPlace(): Promise<StorePlace>;
}

export const memoryDriver: StoreDriver = {
  name: "memory",
  newPlace: async () => {
    const disk = newMemoryDisk();
    return {
      open: async (options = {}) => new MemoryStore({ disk, ...options }),
      remove: async () => undefined,
    };
  },
};

export const levelDriver: StoreDriver = {
  name: "level",
  newPlace: async () => {
    const folder = await mkdtemp(join(tmpdir(), "outline-store-"));
    return {
      open: (options = {}) => LevelStore.open(folder, { now: Date.now, randomBytes, ...options }),
      remove: () => rm(folder, { recursive: true }),
    };
  },
};

export function anOutline(): OutlineId {
  return newOutlineId(Math.random);
}
