/**
 * A process of its own that writes to a replica until it is killed. Prints one JSON value a line: what
 * is durable. Arguments: `write`, or `write hastily` to say so too early; the folder.
 */
import * as Y from "yjs";

import { LevelReplicaStore } from "../../../../client/lib/node/level-replica-store.ts";

const [task, folder = ""] = process.argv.slice(2);

const store = await LevelReplicaStore.open(folder);
const doc = new Y.Doc();
for await (const update of (await store.read()).updates) Y.applyUpdate(doc, update);
const updates: Uint8Array[] = [];
doc.on("update", (update: Uint8Array) => updates.push(update));

const text = doc.getText();
for (let index = 0; ; index++) {
  const mark = `[${doc.clientID}.${index}]`;
  const padding = "x".repeat(20_000);
  doc.transact(() => text.insert(text.length, mark + padding));
  // Gives compaction something to leave out.
  doc.transact(() => text.delete(text.length - padding.length, padding.length));
  const writing = store.write({ own: updates.splice(0) });
  if (task === "write hastily") say({ mark, numbers: [] });
  const numbers = await writing;
  if (task === "write") say({ mark, numbers });
  if (index % 8 === 7) void store.compact();
}

function say(value: { readonly mark: string; readonly numbers: readonly number[] }): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
