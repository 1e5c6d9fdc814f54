import { join } from "node:path";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId } from "../../src/core/node-key.ts";
import type { LackingUpdates } from "../../src/store/level/lacking-updates.ts";
import { levelFolders } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

/** An update of so many characters under a client id. */
function written(client: number, length: number): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = client;
  doc.getText("t").insert(0, "x".repeat(length));
  return Y.encodeStateAsUpdate(doc);
}

test("[D88] what a restored backup lacks is known by client ids and clocks, after a second one too", async () => {
  const store = await open(await newFolder());
  const outline = newOutlineId(Math.random);
  const append = (...updates: Uint8Array[]) => store.log.append(outline, { updates });
  const lacking: LackingUpdates[] = [];
  const restore = async (folder: string) => {
    await store.restore(folder, undefined, (found) => lacking.push(found));
    return (await store.log.load(outline)).lost;
  };
  await append(written(1, 3));
  const first = join(await newFolder(), "backup");
  await store.backup(first);
  await append(written(2, 10));
  await store.log.saveSnapshot(outline, {
    seq: 2,
    chunks: [written(1, 3), written(2, 10)],
    stateVector: Y.encodeStateVectorFromUpdate(Y.mergeUpdates([written(1, 3), written(2, 10)])),
    annex: new Uint8Array(),
  });
  await append(written(3, 7));
  const second = join(await newFolder(), "backup");
  await store.backup(second);

  expect(await restore(first)).toEqual(
    new Map([
      [2, 10],
      [3, 7],
    ]),
  );
  expect(lacking).toEqual([{ updates: 2, outlines: 1, clocks: 17, clients: 2 }]);

  // What comes later and is lost too is added; what a later backup has is not missing there.
  await append(written(4, 5));
  expect(await restore(first)).toEqual(
    new Map([
      [2, 10],
      [3, 7],
      [4, 5],
    ]),
  );
  await append(written(2, 10));
  expect(await restore(second)).toEqual(new Map([[4, 5]]));
});
