import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useNodePeers } from "../support/node-peers.ts";
import { useStage } from "../support/stage.ts";
import { runs } from "../../support/runs.ts";

const stage = useStage();
const peers = useNodePeers();

const EDITS = runs(150, 2000);

/** So many presses of keys: lines, words, depth, order, completions. Answers the words. */
async function writeOffline(device: Device): Promise<readonly string[]> {
  const words: string[] = [];
  let presses = 0;
  while (presses < EDITS) {
    const word = `typed${words.length}.`;
    await device.press("Enter");
    await device.type(word);
    words.push(word);
    presses += 1 + word.length;
    const extra = [["Tab"], ["Shift+Tab"], ["Alt+Shift+ArrowUp"], ["Control+Enter"], []];
    const keys = extra[words.length % extra.length] ?? [];
    await device.press(...keys);
    presses += keys.length;
  }
  return words;
}

/** Everything that a device shows, by its clipboard. */
async function wholeTree(device: Device): Promise<readonly string[]> {
  await device.press("Control+a", "Control+a", "Control+a");
  const { "text/plain": text = "" } = await device.copy();
  return text.split("\n").filter((line) => line !== "");
}

test("three devices with very many offline edits each, reconnected one by one: identical trees, no text lost", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start.", undefined, key);
  for (let count = 0; count < 20; count++) {
    await server.create(`s${count}.`, count % 3 === 0 ? undefined : line, key);
  }
  const device = await stage.device(key);
  await expect.poll(async () => (await device.rows()).length, SOON).toBe(21);
  await device.reaches("saved");
  const networks = [await server.network(), await server.network()] as const;
  const [first, second] = await Promise.all([
    peers.start({ url: networks[0].url, key, folder: "first", seed: 11 }),
    peers.start({ url: networks[1].url, key, folder: "second", seed: 12 }),
  ]);
  for (const peer of [first, second]) {
    await expect.poll(async () => (await peer.sketch()).length, SOON).toBe(21);
  }

  for (const network of [device.network, ...networks]) await network.refuse();
  await device.focus(line);
  const [typed, kept1, kept2] = await Promise.all([
    writeOffline(device),
    first.edit(EDITS),
    second.edit(EDITS),
  ]);
  await device.reaches("local");
  // What was not sent survives a restart of the app too.
  for (const peer of [first, second]) await peer.stored();

  await networks[1].pass();
  await second.saved();
  await device.comeBack();
  await device.reaches("saved");
  await networks[0].pass();
  await first.saved();

  const outcome = await server.sketch(key);
  for (const peer of [first, second]) {
    await expect.poll(() => peer.sketch(), SOON).toEqual(outcome);
  }
  await expect
    .poll(async () => (await wholeTree(device)).length, { ...SOON, interval: 500 })
    .toBe(outcome.length);
  const names = (lines: readonly string[]) => lines.map((each) => each.replace(/^[\s-]*/, ""));
  expect(names(await wholeTree(device)).map((name) => name.replace(/^\[[ x]\] /, ""))).toEqual(
    names(outcome),
  );

  // Every word of everybody is there, exactly once.
  const counts = new Map<string, number>();
  const text = outcome.join("\n");
  for (const [word] of text.matchAll(/[a-z][a-z0-9]*\./g)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const words = [...typed, ...kept1, ...kept2];
  expect(words.length).toBeGreaterThan(EDITS);
  expect(words.filter((word) => counts.get(word) !== 1)).toEqual([]);
});
