import { setTimeout as delay } from "node:timers/promises";
import * as Y from "yjs";
import { ROOT, type Random } from "../../../src/core/node-key.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";

const PAUSE_MS = 5;
/** What it writes is never acknowledged, and only makes the outline larger. */
const MAX_EDITS = 10;

/**
 * A stock client that edits a little until the server has ended.
 * @returns by client id, up to which clock the server has passed on others' edits to it. Only what
 *   is saved is passed on: all of it must still be there after a kill
 */
export async function watchUntilEnd(
  url: string,
  options: {
    readonly key: string;
    readonly random: Random;
    readonly ended: Promise<unknown>;
  },
): Promise<ReadonlyMap<number, number>> {
  const { key, random, ended } = options;
  const client = connectStockClient(url, key);
  const { doc, outline } = client;
  const over = new AbortController();
  void ended.then(() => over.abort());
  for (let edits = 0; !over.signal.aborted && edits < MAX_EDITS; edits++) {
    await delay(PAUSE_MS);
    if (random() < 0.3) outline.create({ parent: ROOT, position: "bottom", name: "stock" });
  }
  await ended;
  client.leave();
  outline.detach();
  const clocks = Y.decodeStateVector(Y.encodeStateVector(doc));
  clocks.delete(doc.clientID);
  // With it go the timers of its presence.
  doc.destroy();
  return clocks;
}
