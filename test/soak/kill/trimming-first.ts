import { isOutlineId } from "../../../src/core/node-key.ts";
import type { Database, KeyRange, OpenDatabase } from "../../../src/store/database.ts";
import { StoreKeys } from "../../../src/store/store-keys.ts";

/** The mark that is written before the parts of a snapshot, in the first generation. */
const PARTS_MARK = /^garbage\/0000\/o\/([0-9a-f]{20})\/c\/([0-9a-f]{12})\/$/;

/** Broken on purpose: removes the updates that a snapshot will hold before the snapshot is saved. */
export function trimmingFirst(open: OpenDatabase): OpenDatabase {
  return async (folder, options) => {
    const database = await open(folder, options);
    return {
      ...database,
      async write(operations) {
        for (const { key, value } of operations) {
          const [, outline = "", seq = ""] = PARTS_MARK.exec(key) ?? [];
          if (value === undefined || !isOutlineId(outline)) continue;
          await remove(new StoreKeys(0).updates(outline, 0, parseInt(seq, 16) + 1), database);
        }
        await database.write(operations);
      },
    };
  };
}

async function remove(range: KeyRange, database: Database): Promise<void> {
  const view = database.view();
  try {
    for await (const page of view.keys(range)) await database.write(page.map((key) => ({ key })));
  } finally {
    await view.close();
  }
}
