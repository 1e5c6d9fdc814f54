/**
 * A process of its own that works on a store, for tests that kill it or compete with it. Prints one
 * JSON value a line. Arguments: what to do, the folder, the outline.
 */
import { randomBytes } from "node:crypto";

import type { OutlineId } from "../../../src/core/node-key.ts";
import { StoreError } from "../../../src/documents/log/outline-log.ts";
import { LevelStore } from "../../../src/store/level/level-store.ts";

const [task, folder = "", outline] = process.argv.slice(2);
const id = outline as OutlineId;

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/**
 * Appends for ever, a few at once, and saves snapshots in between. Says what was acknowledged; when
 * `isHasty`, before it was.
 */
async function appendForever({ log }: LevelStore, isHasty: boolean): Promise<void> {
  let next = (await log.load(id)).head + 1;
  const acknowledge = async (text: string) => {
    const expected = Number(text.slice("update ".length));
    if (isHasty) say({ seq: expected, text });
    const seq = await log.append(id, { updates: [Buffer.from(text)] });
    if (!isHasty) say({ seq, text });
    return seq;
  };
  for (;;) {
    const texts = Array.from({ length: 8 }, () => `update ${next++}`);
    const seqs = await Promise.all(texts.map(acknowledge));
    const seq = seqs.at(-1) ?? 0;
    const mark = Buffer.from(`state at ${seq}`);
    const snapshot = {
      seq,
      chunks: [mark, Buffer.alloc(50_000, seq)],
      stateVector: mark,
      annex: mark,
    };
    if (seq % 5 === 0) await log.saveSnapshot(id, snapshot);
  }
}

/** Appends until an append fails, then until one succeeds again. */
async function appendThroughFailure({ log }: LevelStore): Promise<void> {
  const block = randomBytes(64 * 1024);
  const acknowledged: number[] = [];
  let failed = false;
  for (;;) {
    try {
      acknowledged.push(await log.append(id, { updates: [block] }));
      if (failed) break;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!failed) say({ failed: error.code, acknowledged: acknowledged.length });
      failed = true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  say({ acknowledged });
}

try {
  const store = await LevelStore.open(folder, { now: Date.now, randomBytes });
  say("open");
  if (task === "append") await appendForever(store, false);
  if (task === "append hastily") await appendForever(store, true);
  if (task === "fill") {
    await appendThroughFailure(store);
    await store.close();
  }
  // "hold": keeps the store open until it is killed.
  if (task === "hold") setInterval(() => undefined, 60_000);
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  say({ code: error.code, message: error.message });
}
