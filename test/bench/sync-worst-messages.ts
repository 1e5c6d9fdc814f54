import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { encodePlacement } from "../../src/core/tree/placement.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { type Address, keyOf, UpdateBuilder } from "./update-builder.ts";

/** What a client may send that is much work for a server. */
export interface WorstMessage {
  readonly name: string;
  /** Updates that made the outline as it is before. */
  readonly before: readonly Uint8Array[];
  /** What is sent at once. */
  readonly messages: readonly Uint8Array[];
}

const DEVICE = 2 ** 30 + 7;
const OTHER_DEVICE = 2 ** 30 + 8;
/** A little under the most structs that one update may have. */
const STRUCTS = 149_000;

function update(bytes: Uint8Array): Uint8Array {
  return encodeMessage({ kind: "update", update: bytes });
}

/** An outline that somebody made offline, about as large as a message may be. */
function honest(nodes: number): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = DEVICE;
  const ports = { now: () => 1_700_000_000_000, random: Math.random };
  const outline = Outline.attach(doc, { id: newOutlineId(Math.random), ...ports });
  doc.transact(() => {
    let above: NodeKey = ROOT;
    for (let index = 0; index < nodes; index++) {
      const name = [{ insert: `node ${index}, with a name of usual length, as people write` }];
      const key = outline.createPlain({ parent: above, position: "bottom", name });
      if (index % 10 === 0) above = key;
    }
  });
  return Y.encodeStateAsUpdate(doc);
}

function manyNodes(): Uint8Array {
  const builder = new UpdateBuilder(DEVICE);
  for (let index = 0; index < STRUCTS; index++) builder.node(index);
  return builder.encode();
}

/** A register that is set again and again. */
function manySets(): Uint8Array {
  const builder = new UpdateBuilder(DEVICE);
  const parent = builder.node(1);
  let left = builder.add({ any: "b" }, { parent, sub: "l" });
  for (let index = 0; index < STRUCTS; index++) left = builder.add({ any: "b" }, { left });
  return builder.encode();
}

function manyFormats(count: number): Uint8Array {
  const builder = new UpdateBuilder(DEVICE);
  let left = builder.add({ text: "a" }, { parent: builder.node(1) });
  for (let index = 0; index < count; index += 2) {
    left = builder.add({ format: ["b", index % 4 === 0 || null] }, { left });
    left = builder.add({ text: "x" }, { left });
  }
  return builder.encode();
}

/** Texts of one struct each, which others cut to pieces. */
function longTexts(): Uint8Array {
  const builder = new UpdateBuilder(DEVICE);
  const parent = builder.node(1);
  const left = builder.add({ text: "y".repeat(500_000) }, { parent });
  builder.add({ text: "z".repeat(500_000) }, { left });
  return builder.encode();
}

/** Characters between those of a long text, in no order: each cuts it once more. */
function manyCuts(): Uint8Array {
  const builder = new UpdateBuilder(OTHER_DEVICE);
  for (let index = 0; index < STRUCTS; index++) {
    const clock = 1 + ((index * 7_919) % 499_000);
    builder.add({ text: "x" }, { left: [DEVICE, clock], right: [DEVICE, clock + 1] });
  }
  return builder.encode();
}

function manyRanges(): Uint8Array {
  const ranges = Array.from({ length: 49_000 }, (_, index) => [2 + index * 4, 1]).flat();
  return new UpdateBuilder(OTHER_DEVICE).delete(DEVICE, ranges).encode();
}

/** Many characters at one place, none of whose authors knew of the others. */
function onePlace(client: number, left: Address, count: number): Uint8Array {
  const builder = new UpdateBuilder(client);
  let right: Address | undefined;
  for (let index = 0; index < count; index++) right = builder.add({ text: "x" }, { left, right });
  return builder.encode();
}

function oneLetter(): Uint8Array {
  const builder = new UpdateBuilder(DEVICE);
  builder.add({ text: "a" }, { parent: builder.node(1) });
  return builder.encode();
}

/** Nodes of which each says that it is in the next, the last one in the first. */
function ring(length: number): Uint8Array {
  const builder = new UpdateBuilder(DEVICE);
  for (let index = 0; index < length; index++) {
    const parent = keyOf((index + 1) % length) as NodeKey;
    const any = encodePlacement({ parent, createdAt: 1, order: "U" });
    builder.add({ any }, { parent: builder.node(index), sub: "p" });
  }
  return builder.encode();
}

function stateVector(clients: number): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, clients);
    for (let client = 1; client <= clients; client++) {
      encoding.writeVarUint(encoder, 2 ** 30 + client);
      encoding.writeVarUint(encoder, client);
    }
  });
}

function presences(count: number): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, count);
    for (let client = 1; client <= count; client++) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, 1);
      encoding.writeVarString(encoder, JSON.stringify({ name: "x".repeat(400) }));
    }
  });
}

/** Made one by one, since each is some megabytes. */
export const WORST_MESSAGES: readonly (() => WorstMessage)[] = [
  () => ({ name: "33,500 nodes made offline", before: [], messages: [update(honest(33_500))] }),
  () => {
    const state = honest(33_500);
    return { name: "the whole outline again", before: [state], messages: [update(state)] };
  },
  () => ({ name: "149,000 nodes of nothing", before: [], messages: [update(manyNodes())] }),
  () => ({ name: "149,000 values of one entry", before: [], messages: [update(manySets())] }),
  () => ({ name: "149,000 formats", before: [], messages: [update(manyFormats(STRUCTS))] }),
  () => ({ name: "149,000 cuts", before: [longTexts()], messages: [update(manyCuts())] }),
  () => ({ name: "49,000 ranges", before: [longTexts()], messages: [update(manyRanges())] }),
  () => ({ name: "a ring of 70,000", before: [], messages: [update(ring(70_000))] }),
  () => ({
    name: "a letter among 9,900 others, forty times",
    before: [oneLetter(), onePlace(DEVICE + 1, [DEVICE, 1], 9_900)],
    messages: Array.from({ length: 40 }, (_, index) =>
      update(onePlace(DEVICE + 2 + index, [DEVICE, 1], 1)),
    ),
  }),
  () => ({
    name: "2,000 formats in a text of 20,000, one by one",
    before: [manyFormats(20_000)],
    messages: Array.from({ length: 2_000 }, (_, index) => {
      const builder = new UpdateBuilder(OTHER_DEVICE, index);
      builder.add(
        { format: ["i", index % 2 === 0 || null] },
        { left: [DEVICE, 9 + index], right: [DEVICE, 10 + index] },
      );
      return update(builder.encode());
    }),
  }),
  () => ({
    name: "a state vector of 65,000 clients, ten times",
    before: [honest(1_000)],
    messages: Array.from({ length: 10 }, () =>
      encodeMessage({ kind: "step1", stateVector: stateVector(65_000) }),
    ),
  }),
  () => ({
    name: "1,000 presences, ten times",
    before: [],
    messages: Array.from({ length: 10 }, () =>
      encodeMessage({ kind: "awareness", update: presences(1_000) }),
    ),
  }),
];
