import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as Y from "yjs";

import { LevelReplicaStore } from "../../../../client/lib/node/level-replica-store.ts";
import { builtProgram } from "../../../support/built-program.ts";

const SCRIPT = builtProgram("replica-process.ts", import.meta.url);

let folder = "";
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "outline-replica-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

interface Durable {
  readonly mark: string;
  readonly numbers: readonly number[];
}

/** Lets a process write until it has said a number of lines, and kills it. Answers all it said. */
async function killedAfter(lines: number, task: string): Promise<readonly Durable[]> {
  const args = [SCRIPT, task, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const said: Durable[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    said.push(JSON.parse(line) as Durable);
    if (said.length === lines) child.kill("SIGKILL");
  });
  await Promise.all([once(child, "exit"), once(reader, "close")]);
  expect(said.length).toBeGreaterThanOrEqual(lines);
  return said;
}

/** What is in the folder: the text without what was deleted, and the numbers of the outbox. */
async function readBack() {
  const store = await LevelReplicaStore.open(folder);
  const { updates, outbox } = await store.read();
  const doc = new Y.Doc();
  let size = 0;
  for await (const update of updates) {
    Y.applyUpdate(doc, update);
    size += update.byteLength;
  }
  await store.close();
  const isWhole = doc.store.pendingStructs === null && doc.store.pendingDs === null;
  const text = doc.getText().toJSON();
  return { text, size, isWhole, numbers: new Set(outbox.map(({ number }) => number)) };
}

test("[L30] [L34] nothing durable is missing after the process was killed, again and again", async () => {
  const all: Durable[] = [];
  const sizes: number[] = [];
  for (const lines of [9, 23, 40]) {
    all.push(...(await killedAfter(lines, "write")));
    const { text, size, isWhole, numbers } = await readBack();
    expect(isWhole).toBe(true);
    expect(all.filter(({ mark }) => !text.includes(mark))).toEqual([]);
    expect(all.flatMap((each) => each.numbers).filter((number) => !numbers.has(number))).toEqual(
      [],
    );
    sizes.push(size);
  }
  // It was compacted in between: everything that was typed is 20 KB for each.
  expect(sizes.at(-1)).toBeLessThan(all.length * 20_000);
});

test("[L30] the same test finds what is missing when it is told too early", async () => {
  for (;;) {
    const said = await killedAfter(20, "write hastily");
    const { text } = await readBack();
    // Now and then the process dies between a write and the next line.
    if (said.some(({ mark }) => !text.includes(mark))) return;
  }
});
