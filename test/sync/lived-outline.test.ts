import { expect, test } from "vitest";
import * as Y from "yjs";
import { nodesOf } from "../../src/core/schema.ts";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import { livedOutline, YEARS } from "../bench/lived-outline.ts";
import { compacted, plant } from "../support/stored-outline.ts";
import { shownBy } from "../documents/support/random-edits.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const NODES = 2_000;

test("[S111, P85] a stock client is served an outline that was edited for years, and heard, and comes back", async () => {
  const edits = Math.round(NODES * YEARS.edits);
  const moves = Math.round(NODES * YEARS.moves);
  const { doc, tail } = livedOutline({ nodes: NODES, edits, moves, tail: 500 }, seededRandom(1));
  const stored = await compacted([...stateChunks(doc)]);
  for (const update of tail) Y.applyUpdate(doc, update);

  const { log, outline, documents, ...server } = await startSocketServer();
  await plant(log, outline, stored, tail);
  const client = server.stock();
  const all = Y.decodeStateVector(Y.encodeStateVector(doc));
  const hasAll = (): boolean =>
    [...all].every(([id, clock]) => Y.getState(client.doc.store, id) >= clock);
  await until(hasAll, "the whole outline");
  expect(shownBy(client.doc)).toEqual(shownBy(doc));
  expect(documents.stats().open).toBe(0);

  const [key = ""] = nodesOf(client.doc).keys();
  nodesOf(client.doc).get(key)?.insert(0, "heard: ");
  const nameOf = (of: Y.Doc): string => nodesOf(of).get(key)?.toJSON() ?? "";
  await until(async () => nameOf((await server.served()).doc).startsWith("heard: "), "the edit");

  client.provider.disconnect();
  const served = await server.served();
  await served.write((of) => nodesOf(of).get(key)?.insert(0, "back: "));
  client.provider.connect();
  await until(() => nameOf(client.doc).startsWith("back: heard: "), "what was missed");
  expect(server.seen.errors).toEqual([]);
  expect(server.seen.refusals).toEqual([]);
});
