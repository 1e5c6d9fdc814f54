import { afterEach, expect, test } from "vitest";
import { nodePlatform } from "../../../../client/lib/node/node-platform.ts";
import type { Replica } from "../../../../client/lib/replica.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { decodeClientMessage } from "../../../../src/protocol/decode-message.ts";
import { until } from "../../../support/socket-until.ts";
import { add, copyOfDisk, names, NOWHERE, ReplicaLab, untilNames } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

/** A device with a node, and a copy of its store. */
async function twins(): Promise<readonly [MemoryDisk, MemoryDisk]> {
  const disk = new MemoryDisk();
  const original = await lab.open({ store: new MemoryReplicaStore(disk) });
  await original.caughtUp();
  add(original, "shared text");
  await original.saved();
  await original.close();
  return [disk, await copyOfDisk(disk)];
}

test("[L13] two programs on copies of one store lose nothing, the later one writes anew", async () => {
  lab = await ReplicaLab.start();
  const disks = await twins();
  for (const [index, disk] of disks.entries()) {
    const away = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
    const [shared] = away.outline.childKeys(ROOT);
    if (shared === undefined) throw new Error("there is one");
    for (let count = 0; count <= index; count += 1) add(away, `of ${index}: ${count}`);
    away.edits.type(shared, "name", { at: index * 11, remove: 0, insert: `<${index}>` });
    const parent = add(away, `parent of ${index}`);
    add(away, `child of ${index}`, parent);
    away.edits.complete([parent], true);
    await away.stored();
    await away.close();
  }
  const [one, other] = await Promise.all(
    disks.map((disk) => lab.open({ store: new MemoryReplicaStore(disk) })),
  );
  if (one === undefined || other === undefined) throw new Error("there are two");
  await one.saved();
  await other.saved();
  const all = [
    "&lt;0&gt;shared text&lt;1&gt;",
    "of 0: 0",
    "of 1: 0",
    "of 1: 1",
    "parent of 0",
    "parent of 1",
  ];
  await untilNames(one, all);
  await untilNames(other, all);
  expect(names(other)).toEqual(names(one));
  for (const replica of [one, other]) {
    const parent = replica.outline.children(ROOT).find(({ name }) => name === "parent of 1");
    expect(parent?.completedAt).not.toBeNull();
    expect(names(replica, parent?.key)).toEqual(["child of 1"]);
  }
  // Both can go on writing.
  add(one, "later");
  add(other, "later too");
  await Promise.all([one.saved(), other.saved()]);
  await untilNames(one, [...all, "later", "later too"]);
  await untilNames(other, [...all, "later", "later too"]);
});

test("[L13] a store that was set back writes under a new id, and its edits are kept", async () => {
  lab = await ReplicaLab.start();
  const [disk, older] = await twins();
  const original = await lab.open({ store: new MemoryReplicaStore(disk) });
  for (let count = 0; count < 30; count += 1) add(original, `after the copy: ${count}`);
  await original.saved();
  await original.close();

  const away = await lab.open({ store: new MemoryReplicaStore(older), url: NOWHERE });
  add(away, "on the old copy");
  await away.stored();
  await away.close();
  let replaced = 0;
  const back = await lab.open({ store: new MemoryReplicaStore(older) });
  back.onReplaced(() => (replaced += 1));
  await back.saved();
  await until(() => names(back).length === 32, "all nodes");
  expect(await lab.serverNames()).toContain("on the old copy");
  expect(replaced).toBe(1);
  await back.close();
  expect((await new MemoryReplicaStore(older).read()).outbox).toEqual([]);
  const again = await lab.open({ store: new MemoryReplicaStore(older), url: NOWHERE });
  expect(names(again)).toHaveLength(32);
});

test("[L13] what was deleted under ids that a store writes anew hits nothing of it", async () => {
  lab = await ReplicaLab.start();
  const [disk, older] = await twins();
  const original = await lab.open({ store: new MemoryReplicaStore(disk) });
  const [key] = original.outline.childKeys(ROOT);
  if (key === undefined) throw new Error("there is one");
  original.edits.type(key, "name", { at: 0, remove: 0, insert: "gone again " });
  original.edits.type(key, "name", { at: 2, remove: 7, insert: "" });
  await original.saved();
  await original.close();

  const away = await lab.open({ store: new MemoryReplicaStore(older), url: NOWHERE });
  away.edits.type(key, "name", { at: 11, remove: 0, insert: ", typed on the old copy" });
  await away.stored();
  await away.close();
  const back = await lab.open({ store: new MemoryReplicaStore(older) });
  await back.saved();
  expect(await lab.serverNames()).toEqual(["gon shared text, typed on the old copy"]);
});

/** Edits the first node without a server. */
async function offline(
  disk: MemoryDisk,
  edit: (away: Replica, key: NodeKey) => void,
  now = Date.now,
) {
  const platform = { ...nodePlatform(NOWHERE, lab.service.key), now };
  const away = await lab.open({ store: new MemoryReplicaStore(disk), platform });
  const [key] = away.outline.childKeys(ROOT);
  if (key === undefined) throw new Error("there is one");
  edit(away, key);
  await away.stored();
  await away.close();
}

/** A device that is connected, and whose edits stay on their way until `release` is called. */
async function hesitant(disk: MemoryDisk) {
  const platform = nodePlatform(lab.service.url, lab.service.key);
  const held: (() => void)[] = [];
  let isHolding = true;
  const replica = await lab.open({
    store: new MemoryReplicaStore(disk),
    platform: {
      openSocket(outline, listener) {
        const socket = platform.openSocket(outline, listener);
        return {
          send(bytes) {
            const isEdit = decodeClientMessage(bytes).kind === "update";
            if (isHolding && isEdit) held.push(() => socket.send(bytes));
            else socket.send(bytes);
          },
          close: () => socket.close(),
        };
      },
    },
  });
  await replica.caughtUp();
  const release = (): void => {
    isHolding = false;
    for (const send of held.splice(0)) send();
  };
  return { replica, release };
}

/** A server sends such a device its state, in which nothing is left of what was deleted. */
const BEGINNING = { epoch: "", seq: 0 };

/** Whoever wrote it. */
function rename(name: string): Promise<void> {
  return lab.write((outline) => {
    const [key] = outline.childKeys(ROOT);
    if (key !== undefined) outline.update(key, { name });
  });
}

test.each([
  { sent: "the whole state", isEpochKnown: false },
  { sent: "the rest of the state", isEpochKnown: true },
])(
  "[L13, S49] what is unsent is not taken for what a copy wrote and somebody has deleted, in $sent",
  async ({ isEpochKnown }) => {
    let compactions = 0;
    lab = await ReplicaLab.start({
      documentLimits: { minCompactionBytes: 1 },
      documentEvents: { onCompaction: () => (compactions += 1) },
    });
    const [disk, copied] = await twins();
    const nowMs = Date.now();
    const typing = (insert: string) => (away: Replica, key: NodeKey) =>
      void away.edits.type(key, "name", { at: 11, remove: 0, insert });
    await offline(disk, typing(", one"), () => nowMs);
    await offline(copied, typing(", two"), () => nowMs);
    const original = await lab.open({ store: new MemoryReplicaStore(disk) });
    await original.saved();
    await original.close();
    expect(await lab.serverNames()).toEqual(["shared text, one"]);
    await rename("shared text");
    const before = compactions;
    const long = "long ".repeat(1000);
    await lab.post(long);
    await until(() => compactions > before, "a snapshot without what was deleted");
    const { position } = await new MemoryReplicaStore(copied).read();
    const copy = await copyOfDisk(copied, isEpochKnown ? { ...position, seq: 0 } : BEGINNING);
    const sources: string[] = [];
    const platform = lab.hearing((message) => {
      if (message.kind === "welcome") sources.push(message.from);
      return true;
    });
    const replica = await lab.open({ store: new MemoryReplicaStore(copy), platform });
    await replica.saved();
    expect(sources[0]).toBe(isEpochKnown ? "rest" : "state");
    expect(await lab.serverNames()).toContain("shared text, two");
  },
);

test("[L13] what was sent without an answer, and deleted since, stays deleted", async () => {
  lab = await ReplicaLab.start();
  for (const isOffline of [true, false]) {
    const [disk] = await twins();
    const type = (replica: Replica, key: NodeKey): void =>
      void replica.edits.type(key, "name", { at: 11, remove: 0, insert: ", one" });
    if (isOffline) await offline(disk, type);
    const sender = await lab.open({
      store: new MemoryReplicaStore(disk),
      platform: lab.hearing((message) => message.kind !== "acknowledged"),
    });
    await sender.caughtUp();
    const [key] = sender.outline.childKeys(ROOT);
    if (!isOffline && key !== undefined) type(sender, key);
    await until(async () => (await lab.serverNames())[0] === "shared text, one", "the server's");
    await sender.stored();
    await sender.close();
    const sent = await copyOfDisk(disk, BEGINNING);
    expect((await new MemoryReplicaStore(sent).read()).outbox).toHaveLength(1);
    await rename("shared text");
    const replica = await lab.open({ store: new MemoryReplicaStore(sent) });
    await replica.saved();
    expect((await lab.serverNames())[0]).toBe("shared text");
    await lab.write((outline) => void outline.remove(outline.childKeys(ROOT)[0] ?? ROOT));
  }
});

test("[L13] what a copy deletes while both are connected hits nothing that is unsent either", async () => {
  lab = await ReplicaLab.start();
  const [disk, copied] = await twins();
  await offline(disk, (away, key) => {
    away.edits.type(key, "name", { at: 0, remove: 0, insert: "gone again " });
    away.edits.type(key, "name", { at: 2, remove: 7, insert: "" });
  });
  await offline(copied, (away, key) => {
    away.edits.type(key, "name", { at: 11, remove: 0, insert: ", typed on the copy" });
  });
  const { replica: original, release: releaseOriginal } = await hesitant(disk);
  const { replica: copy, release: releaseCopy } = await hesitant(copied);
  releaseOriginal();
  await original.saved();
  await until(() => copy.seq >= original.seq, "the copy to have heard of it");
  releaseCopy();
  await copy.saved();
  expect(await lab.serverNames()).toEqual(["gon shared text, typed on the copy"]);
});

/** The node that two devices make under one key. */
function insertShared(replica: Replica, name: string): void {
  const key = "abcdef012345" as NodeKey;
  replica.edits.insert([{ depth: 0, name, key, layout: "bullets" }], {
    parent: ROOT,
    position: "bottom",
  });
}

test("[L13] a node that another device has made under the same key, while all is written anew, stays", async () => {
  lab = await ReplicaLab.start();
  const [disk, copied] = await twins();
  await offline(disk, (away) => insertShared(away, "from one device"));
  const copy = await lab.open({ store: new MemoryReplicaStore(copied) });
  add(copy, "under the same id");
  await copy.saved();

  const { replica, reached, goOn } = await lab.slowRewriter(new MemoryReplicaStore(disk));
  await reached;
  const other = await lab.open();
  insertShared(other, "from another");
  await other.saved();
  goOn();
  await replica.saved();
  const all = await lab.serverNames();
  expect(all).toHaveLength(3);
  for (const text of ["one device", "another"]) expect(all.join("").split(text)).toHaveLength(2);
  await untilNames(other, all);
  await untilNames(replica, all);
});

test.each([
  { theirs: "from one device", ours: "from another", shown: ["another", "one device"] },
  { theirs: "the same", ours: "the same", shown: ["the same"] },
])(
  "[L13] a node that two devices made under one key has what both wrote: $theirs, $ours",
  async ({ theirs, ours, shown }) => {
    lab = await ReplicaLab.start();
    const disk = new MemoryDisk();
    const away = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
    insertShared(away, ours);
    await away.stored();
    await away.close();
    const online = await lab.open();
    insertShared(online, theirs);
    await online.saved();
    const back = await lab.open({ store: new MemoryReplicaStore(disk) });
    await back.saved();
    const [name = "", ...others] = await lab.serverNames();
    expect(others).toEqual([]);
    for (const text of shown) expect(name.split(text)).toHaveLength(2);
    await untilNames(online, [name]);
    await untilNames(back, [name]);
  },
);

test("[L13] so has one that both made at the same moment: the server has the second written anew", async () => {
  lab = await ReplicaLab.start();
  let isDeaf = false;
  const refusals: unknown[] = [];
  const late = await lab.open({
    platform: lab.hearing((message) => {
      // On its way still, when the device sends.
      if (isDeaf && message.kind === "sequenced") return false;
      if (message.kind === "refused") {
        refusals.push(message.code);
        isDeaf = false;
      }
      return true;
    }),
  });
  await late.caughtUp();
  isDeaf = true;
  const early = await lab.open();
  insertShared(early, "from one device");
  await early.saved();
  insertShared(late, "from another");
  await late.saved();
  expect(refusals).toEqual(["conflict"]);
  const [name = "", ...others] = await lab.serverNames();
  expect(others).toEqual([]);
  for (const text of ["one device", "another"]) expect(name.split(text)).toHaveLength(2);
  await untilNames(early, [name]);
  await untilNames(late, [name]);
});
