import * as encoding from "lib0/encoding";
import { encodeTime } from "../../../src/core/hybrid-clock.ts";
import { FIRST_SEED_CLIENT, seedOfClient } from "../../../src/core/calendar/month-seed.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { encodeOrderInt, orderTag } from "../../../src/core/tree/order-key.ts";
import { encodePlacement, type Placement } from "../../../src/core/tree/placement.ts";
import { CONTENT } from "../hostile-messages/handmade-update.ts";
import type { Gene } from "./gene.ts";
import { type Address, DEVICE, type UpdateWriter, type WrittenNode } from "./update-writer.ts";

const CREATED_AT = Date.UTC(2026, 0, 1);
const TEXT_TYPE = 2;
/** Seeds of the calendar: years and months from the year 1000 on. */
const FIRST_CALENDAR_CLIENT = FIRST_SEED_CLIENT + 13_000;
const LETTERS = ["a", "<", "*", "&", "é", "📆", " ", "\n", "\u0001", "]("];
const FORMATS: readonly (readonly [key: string, value: unknown])[] = [
  ["b", true],
  ["b", null],
  ["i", true],
  ["i", null],
  ["s", true],
  ["u", null],
  ["code", true],
  ["d", "2026-01-02"],
  ["e", "&amp;"],
  ["e", "&#0000000000000000000000000000000000065;"],
  ["mark", "colored c-red"],
  ["span", "colored bc-blue"],
];
const FOREIGN_VALUES = [
  (size: number) => "x".repeat(size % 4_000),
  (size: number) => Array.from({ length: size % 2_000 }, () => 0),
  (size: number) => Array.from({ length: size % 700 }, () => [[[]]]),
  (size: number) => Array.from({ length: size % 1_000 }, () => ({})),
  () => ({ a: { b: { c: {} } } }),
  () => null,
];

/** Adds what a gene says to the update under way. */
type WriteGene = (writer: UpdateWriter, gene: Gene) => void;

/** A node's key, the same in every case. */
export function keyOf(index: number): NodeKey {
  return (0x100000000000 + index).toString(16) as NodeKey;
}

/** Kinds of genes of an update. */
export const UPDATE_GENES: Readonly<Record<string, WriteGene>> = {
  /** Below the top, the node before, the next one, one of them all, or something unknown. */
  nodes: (writer, { count, size, pick }) => {
    for (let left = count; left > 0; left--) {
      const index = writer.nodes.length;
      addNode(writer, placement(parentOf(index, pick, size), orderOf(index, size, pick)));
    }
  },
  unplaced: (writer, { count }) => {
    for (let left = count; left > 0; left--) addNode(writer, undefined);
  },
  /** Texts behind what is there, or in front of it. */
  text: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    for (let left = count; left > 0; left--) {
      const letters = letterOf(pick).repeat(size);
      put(writer, node, { content: CONTENT.text(letters), length: letters.length }, pick % 3 === 2);
    }
  },
  /** Each in front of the one before; then, at the same place, those of clients who knew none of them. */
  onePlace: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    const left = node.first ?? put(writer, node, { content: CONTENT.text("a"), length: 1 });
    let right: Address | undefined;
    for (let index = 0; index < count; index++) {
      right = writer.add(DEVICE + 1, CONTENT.text("y"), { left, right });
    }
    for (let index = 0; index < size % 400; index++) {
      writer.add(DEVICE + (pick % 2 === 0 ? 2 + index : -1 - index), CONTENT.text("z"), { left });
    }
  },
  /** Characters between those of a text, in no order. */
  cuts: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    const letters = "z".repeat(Math.min(60_000, count * (1 + (size % 3))));
    const [client, clock] = put(writer, node, {
      content: CONTENT.text(letters),
      length: letters.length,
    });
    for (let index = 0; index < count && letters.length > 1; index++) {
      const at = clock + ((index * 7_919) % (letters.length - 1));
      writer.add(DEVICE + 1, CONTENT.text("x"), { left: [client, at], right: [client, at + 1] });
    }
  },
  formats: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    for (let index = 0; index < count; index++) {
      const [key, value] = FORMATS[(index * (1 + (pick % 5)) + pick) % FORMATS.length] ?? [
        "b",
        true,
      ];
      putFormat(writer, node, key, value);
      if (index % (1 + (size % 8)) === 0)
        put(writer, node, { content: CONTENT.text("x"), length: 1 });
    }
  },
  /** Of a newer version. */
  foreignFormats: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    for (let index = 0; index < count; index++) {
      putFormat(
        writer,
        node,
        `f${index % 9}`,
        index % 4 === 3 ? null : "v".repeat(1 + (index % Math.min(size, 1_024))),
      );
      if (pick % 2 === 0) put(writer, node, { content: CONTENT.text("x"), length: 1 });
    }
  },
  links: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    const letter = ["&", '"', "a", "'", "<", ")", "(", "\\", "📆"][pick % 9] ?? "a";
    for (let index = 0; index < count; index++) {
      putFormat(
        writer,
        node,
        pick % 4 === 3 ? "mark" : "a",
        `http://${index % 2}${letter.repeat(size)}`,
      );
      put(writer, node, { content: CONTENT.text(letterOf(pick)), length: letterOf(pick).length });
    }
  },
  /** Characters that were written as entities of so many hundred digits. */
  entities: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    putFormat(writer, node, "e", `&#${"00".repeat(50 * Math.min(size, 600))}65;`);
    put(writer, node, { content: CONTENT.text("A".repeat(count)), length: count });
  },
  attributes: (writer, { count, size, pick }) => {
    const node = nodeFor(writer, pick);
    for (let index = 0; index < count; index++) {
      const name = ["l", "x", "d", "m", "p"][(pick + index) % 5] ?? "l";
      setAttribute(
        writer,
        node,
        pick % 3 === 0 ? name : (["l", "x"][pick % 2] ?? "l"),
        size,
        index,
      );
    }
  },
  foreignAttributes: (writer, { count, size, pick }) => {
    const value = FOREIGN_VALUES[pick % FOREIGN_VALUES.length]?.(size);
    for (let index = 0; index < count; index++) {
      const { text } = nodeFor(writer, index * (pick % 7));
      setEntry(writer, text, `z${index % 60}`, value, pick);
    }
  },
  settings: (writer, { count, size, pick }) => {
    const value = FOREIGN_VALUES[pick % FOREIGN_VALUES.length]?.(size);
    for (let index = 0; index < count; index++) {
      setEntry(writer, "meta", `z${index % 50}`, value, pick);
    }
  },
  notes: (writer, { count, size, pick }) => {
    for (let index = 0; index < count; index++) {
      const { text } = nodeFor(writer, pick + Math.floor(index / 60));
      const note = writer.add(DEVICE, CONTENT.type(TEXT_TYPE), {
        parent: text,
        sub: `o${index % 60}`,
      });
      const letters = letterOf(pick).repeat(size);
      writer.add(DEVICE, CONTENT.text(letters), { parent: note }, letters.length);
    }
  },
  /** Each below the one beside it, in rings of `size`, or below one of its own. */
  moves: (writer, { count, size, pick }) => {
    for (let index = 0; index < count && writer.nodes.length > 0; index++) {
      const node = nodeFor(writer, index + pick);
      const length = 2 + (size % Math.max(2, writer.nodes.length));
      const ring = index - (index % length);
      const parent = nodeFor(writer, ring + ((index + 1) % length) + pick).key;
      const move = { at: CREATED_AT + index + pick, from: { parent: ROOT, order: "W" } };
      const place = placement(pick % 5 === 4 ? ROOT : parent, orderOf(index, 1, pick), move);
      setEntry(writer, node.text, "p", place, pick);
    }
  },
  marksOfDeletion: (writer, { count, size, pick }) => {
    const mark = ["t*", "f*", "", `t${size}`, "f0"][pick % 5];
    for (let index = 0; index < count && writer.nodes.length > 0; index++) {
      const { text } = nodeFor(writer, index * (1 + (size % 3)));
      setEntry(writer, text, "d", mark, pick);
    }
  },
  /** All that was written, every so manyth struct of it, or a part. */
  deletions: (writer, { count, size, pick }) => {
    const client = DEVICE + (pick % 3 === 2 ? 1 : 0);
    const end = writer.clockOf(client);
    if (end === 0) return;
    if (pick % 2 === 0) return writer.delete(client, 0, end);
    const step = 1 + (size % 7);
    for (let clock = pick % 5, left = count; left > 0 && clock < end; left--, clock += step + 1) {
      writer.delete(client, clock, Math.min(step, end - clock));
    }
  },
  shortcuts: (writer, { count, size, pick }) => {
    for (let index = 0; index < count; index++) {
      const name = `${index % (1 + (pick % 1_500))}`.padEnd(size % 250, "s");
      const value = nodeFor(writer, index).key + encodeTime(CREATED_AT + index) + name;
      setEntry(writer, "keys", name, value, pick);
    }
  },
  /** Behind or in front of each other. */
  timeMarks: (writer, { count, size, pick }) => {
    let other: Address | undefined;
    for (let index = 0; index < count; index++) {
      const where =
        other === undefined
          ? { parent: "clk" }
          : pick % 2 === 0
            ? { left: other }
            : { right: other };
      other = writer.add(DEVICE, CONTENT.any(1_750_000_000 + index * (size % 3)), where);
    }
  },
  seeds: (writer, { count, size, pick }) => {
    for (let index = 0; index < count; index++) {
      const client = FIRST_CALENDAR_CLIENT + ((index * (1 + (size % 13)) + pick) % 100_000);
      if (writer.clockOf(client) > 0 || seedOfClient(client) === undefined) continue;
      if (pick % 2 === 0) writer.addRaw(client, 1, (encoder) => writeCollected(encoder, 1));
      else writer.add(client, CONTENT.type(TEXT_TYPE), { parent: "nodes", sub: keyOf(index) });
    }
  },
  /** One character of each. */
  clients: (writer, { count, pick }) => {
    const { text } = nodeFor(writer, pick);
    for (let index = 0; index < count; index++) {
      const client = DEVICE + 1_000 + pick + index;
      writer.add(client, CONTENT.text("c"), pick % 2 === 0 ? { parent: text } : { left: text });
    }
  },
  /** Of two who wrote in turn, each behind the other. */
  inTurn: (writer, { count, pick }) => {
    const node = nodeFor(writer, pick);
    for (let index = 0; index < count; index++) {
      put(writer, node, { content: CONTENT.text("t"), length: 1 }, false, DEVICE + 2 + (index % 2));
    }
  },
  collected: (writer, { count, size, pick }) => {
    const ref = pick % 3 === 0 ? 1 : 0;
    for (let left = count; left > 0; left--) {
      const { text } = nodeFor(writer, pick);
      if (ref === 1) writer.add(DEVICE, CONTENT.length(ref, size), { parent: text }, size);
      else writer.addRaw(DEVICE, size, (encoder) => writeCollected(encoder, size));
    }
  },
};

function parentOf(index: number, pick: number, size: number): NodeKey {
  const parents = [
    ROOT,
    keyOf(index - 1),
    keyOf(index + 1),
    keyOf(Math.floor(index / 10)),
    keyOf(index ^ 1),
  ];
  if (index === 0 && pick % 6 !== 2) return ROOT;
  return parents[pick % 6] ?? keyOf(1e9 + (index % size));
}

/** At one place, one behind the other, or with so long a key. */
function orderOf(index: number, size: number, pick: number): string {
  const deep = (encodeOrderInt(0) + orderTag(1)).repeat(pick % 4 === 3 ? size % 1_300 : 0);
  return deep + encodeOrderInt(pick % 4 === 2 ? 0 : index);
}

function placement(parent: NodeKey, order: string, move?: Placement["move"]): string {
  return encodePlacement({ parent, order, createdAt: CREATED_AT, ...(move && { move }) });
}

function addNode(writer: UpdateWriter, place: string | undefined): WrittenNode {
  const key = keyOf(writer.nodes.length);
  const text = writer.add(DEVICE, CONTENT.type(TEXT_TYPE), { parent: "nodes", sub: key });
  const node = { key, text, first: undefined, last: undefined };
  writer.nodes.push(node);
  if (place !== undefined) setEntry(writer, text, "p", place, 0);
  return node;
}

function nodeFor(writer: UpdateWriter, index: number): WrittenNode {
  return writer.nodeAt(index) ?? addNode(writer, placement(ROOT, encodeOrderInt(0)));
}

interface Piece {
  readonly content: Parameters<UpdateWriter["add"]>[1];
  readonly length: number;
}

function put(
  writer: UpdateWriter,
  node: WrittenNode,
  { content, length }: Piece,
  isInFront = false,
  client = DEVICE,
): Address {
  const { first, last, text } = node;
  const where =
    isInFront && first !== undefined
      ? { right: first }
      : last === undefined
        ? { parent: text }
        : { left: last };
  const address = writer.add(client, content, where, length);
  if (isInFront || first === undefined) node.first = address;
  if (!isInFront || last === undefined) node.last = [address[0], address[1] + length - 1];
  return address;
}

function putFormat(writer: UpdateWriter, node: WrittenNode, key: string, value: unknown): void {
  put(writer, node, { content: CONTENT.format(key, JSON.stringify(value)), length: 1 });
}

function setAttribute(
  writer: UpdateWriter,
  { text }: WrittenNode,
  sub: string,
  size: number,
  index: number,
): void {
  const values: Readonly<Record<string, unknown>> = {
    l: ["todo", "h1", "code-block", "?".repeat(size % 64)][index % 4],
    d: index % 2 === 0 ? "t*" : "",
    p: placement(ROOT, orderOf(index, size, 3)),
  };
  setEntry(writer, text, sub, values[sub] ?? 1_750_000_000 + index, size);
}

/** In the place of the value before, as devices do, or beside it as one who did not know of it. */
function setEntry(
  writer: UpdateWriter,
  parent: string | Address,
  sub: string,
  value: unknown,
  pick: number,
): void {
  const name = `${String(parent)} ${sub}`;
  const left = pick % 4 === 3 ? undefined : writer.entries.get(name);
  const where = left === undefined ? { parent, sub } : { left };
  writer.entries.set(name, writer.add(DEVICE, CONTENT.any(value), where));
}

function writeCollected(encoder: encoding.Encoder, length: number): void {
  encoding.writeUint8(encoder, 0);
  encoding.writeVarUint(encoder, length);
}

function letterOf(pick: number): string {
  return LETTERS[pick % LETTERS.length] ?? "a";
}
