import { expect, test } from "vitest";
import * as Y from "yjs";
import { whatDiffers } from "../../../../client/lib/rewrite/what-differs.ts";

/** A text that a client writes into what it has: all of it in one struct. */
function written(clientId: number, text: string, base?: Y.Doc): Y.Doc {
  const doc = new Y.Doc();
  if (base !== undefined) Y.applyUpdate(doc, Y.encodeStateAsUpdate(base));
  doc.clientID = clientId;
  const said = doc.getText();
  said.insert(said.length, text);
  return doc;
}

/** From which clock on of each client an update has something. */
function beginnings(update: Uint8Array): readonly (readonly [number, number])[] {
  return Y.decodeUpdate(update).structs.map(({ id }) => [id.client, id.clock]);
}

test.each<[string, string, string, readonly (readonly [number, number])[]]>([
  ["nothing of what both have alike", "abcdef", "abcdef", []],
  ["what the other lacks", "abcdef", "abcd", [[1, 4]]],
  ["nothing of what only the other has", "abcd", "abcdef", []],
  ["what differs, from its first letter on", "abcdef", "abcXYZ", [[1, 3]]],
  ["what differs and what is lacked behind it", "abcdefghi", "abXY", [[1, 2]]],
])("[L17] of an id under which two have written: %s", (_, here, there, wanted) => {
  expect(beginnings(whatDiffers(written(1, here), written(1, there)))).toEqual(wanted);
});

test("[L17] what stands under ids that the other has never seen", () => {
  const base = written(1, "abc");
  const here = written(2, "def", base);
  expect(beginnings(whatDiffers(here, written(3, "xyz", base)))).toEqual([[2, 0]]);
});
