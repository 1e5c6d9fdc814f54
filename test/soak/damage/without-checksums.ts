import type { Entry, OpenDatabase, View } from "../../../src/store/database.ts";
import { openLevelDatabase } from "../../../src/store/level/level-database.ts";
import type { LevelStoreOptions } from "../../../src/store/level/level-store.ts";
import { requireIntact, seal } from "../../../src/store/record.ts";

/** Of a record: checksum and codec. */
const HEADER_BYTES = 5;

/** Broken on purpose: a store that believes what its records say. */
export function withoutChecksums(): Partial<LevelStoreOptions> {
  return { openDatabase: openTrustingly };
}

const openTrustingly: OpenDatabase = async (folder, options) => {
  const database = await openLevelDatabase(folder, options);
  return { ...database, view: () => trustingView(database.view()) };
};

function trustingView(view: View): View {
  return {
    get: async (key) => {
      const value = await view.get(key);
      return value && withRightChecksum(key, value);
    },
    getMany: async (keys) => {
      const values = await view.getMany(keys);
      return values.map((value, index) => value && withRightChecksum(keys[index] ?? "", value));
    },
    async *entries(range, options) {
      for await (const page of view.entries(range, options)) yield page.map(trusted);
    },
    keys: (range, options) => view.keys(range, options),
    close: () => view.close(),
  };
}

function trusted({ key, value }: Entry): Entry {
  return { key, value: withRightChecksum(key, value) };
}

/** The same content as if it had been written so. */
function withRightChecksum(key: string, value: Uint8Array): Uint8Array {
  try {
    requireIntact(key, value);
    return value;
  } catch {
    const sealed = seal(key, value.subarray(HEADER_BYTES));
    return sealed;
  }
}
