import { join } from "node:path";
import * as Y from "yjs";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import { startService } from "./service.ts";
import { compacted, plant } from "./stored-outline.ts";

/**
 * Makes a data folder with many users, who all have the same snapshot, without going through the API for
 * each: for servers that many come to. @returns a key of each
 */
export async function plantUsers(
  data: string,
  count: number,
  state: Uint8Array,
): Promise<readonly string[]> {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const stored = await compacted([...stateChunks(doc)]);
  const service = await startService({ store: "level", folder: join(data, "store") });
  const keys: string[] = [];
  try {
    for (let index = 0; index < count; index++) {
      const { key } = await service.newUser(`user-${index}`);
      const principal = await service.accounts.authenticate(key);
      if (principal === undefined) throw new Error("a key that was just made is not valid");
      await plant(service.store.log, principal.outline, stored, []);
      keys.push(key);
    }
  } finally {
    await service.close();
  }
  return keys;
}
