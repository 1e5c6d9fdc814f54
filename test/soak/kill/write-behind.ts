import { setTimeout as delay } from "node:timers/promises";
import type { Database, OpenDatabase, View } from "../../../src/store/database.ts";

/** How long a write waits after it was acknowledged. */
const LAG_MS = 30;

/** Broken on purpose: says that a write is on the disk before it is. */
export function writingBehind(open: OpenDatabase): OpenDatabase {
  return async (folder, options) => {
    const database = await open(folder, options);
    let written: Promise<void> = Promise.resolve();
    return {
      view: () => viewAfter(written, database),
      write(operations) {
        written = written.then(() => delay(LAG_MS)).then(() => database.write(operations));
        return Promise.resolve();
      },
      async close() {
        await written;
        await database.close();
      },
    };
  };
}

/** A view with all that was acknowledged. */
function viewAfter(written: Promise<void>, database: Database): View {
  const view = written.then(() => database.view());
  return {
    get: async (key) => (await view).get(key),
    getMany: async (keys) => (await view).getMany(keys),
    async *entries(range, options) {
      yield* (await view).entries(range, options);
    },
    async *keys(range, options) {
      yield* (await view).keys(range, options);
    },
    close: async () => (await view).close(),
  };
}
