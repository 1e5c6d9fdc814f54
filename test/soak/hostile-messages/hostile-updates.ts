import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import type { Random } from "../../../src/core/node-key.ts";
import { editAtRandom, fullUpdate, outlineDoc } from "../../documents/support/random-edits.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { behind, CONTENT, handmadeUpdate, inRoot, inType } from "./handmade-update.ts";

/** Where somebody else writes: a client id and its next clock. */
export interface OthersPlace {
  readonly client: number;
  readonly clock: number;
}

const OWN_PROTOTYPE_NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"];
const ODD_NAMES = [...OWN_PROTOTYPE_NAMES, "", "\0", "p".repeat(5_000), "ünï", "000000000000"];
const ODD_VALUES: readonly unknown[] = [
  {},
  [],
  [[[[[[[[[[1]]]]]]]]]],
  { __proto__: { a: 1 }, constructor: 1 },
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  2 ** 53,
  1.5,
  2n ** 63n,
  new Uint8Array(20),
  null,
  true,
  "x".repeat(20_000),
  "\uD800",
];
const KEY = "a1b2c3d4e5f6";

/** A client id that nobody leased. */
export function strangeClient(random: Random): number {
  return 2 ** 29 + integerBelow(random, 2 ** 31);
}

/** Every Yjs type, those that an outline has not among them. */
function anyType(random: Random): Y.AbstractType<unknown> | Y.Doc {
  return oneOf<() => unknown>(random, [
    () => new Y.Map([["a", new Y.Map()]]),
    () => Y.Array.from([1, 2]),
    () => new Y.XmlElement("script"),
    () => new Y.XmlFragment(),
    () => new Y.XmlText("text"),
    () => new Y.XmlHook("hook"),
    () => new Y.Doc(),
    () => new Y.Text("text"),
  ])() as Y.AbstractType<unknown> | Y.Doc;
}

/** Edits of a document that a Yjs client can make and an outline has no place for. */
const WRONG_EDITS: readonly ((doc: Y.Doc, random: Random) => void)[] = [
  (doc, random) => doc.getMap("nodes").set(KEY, anyType(random)),
  (doc, random) => doc.getMap("nodes").set(oneOf(random, ODD_NAMES), new Y.Text("x")),
  (doc, random) => doc.getMap("nodes").set(KEY, oneOf(random, ODD_VALUES)),
  (doc, random) => doc.getMap("keys").set(oneOf(random, ODD_NAMES), oneOf(random, ODD_VALUES)),
  (doc, random) => doc.getMap("keys").set("a", anyType(random)),
  (doc, random) => doc.getMap("meta").set(oneOf(random, ODD_NAMES), oneOf(random, ODD_VALUES)),
  (doc, random) => doc.getMap("meta").set("v", anyType(random)),
  (doc, random) => doc.getArray("clk").push([oneOf(random, ODD_VALUES)]),
  (doc, random) => doc.getArray("clk").push([anyType(random)]),
  (doc, random) => doc.getMap(oneOf(random, ODD_NAMES)).set("a", 1),
  (doc, random) => doc.getText(oneOf(random, ODD_NAMES)).insert(0, "x"),
  (doc) => doc.getXmlFragment("prosemirror").insert(0, [new Y.XmlElement("p")]),
  (doc, random) => {
    const text = new Y.Text("x");
    doc.getMap("nodes").set(KEY, text);
    const name = oneOf(random, ["p", "l", "x", "d", "m", "o1", ...ODD_NAMES]);
    text.setAttribute(name, oneOf(random, ODD_VALUES));
  },
  (doc, random) => {
    const text = new Y.Text("x");
    doc.getMap("nodes").set(KEY, text);
    text.setAttribute(oneOf(random, ["p", "o1", "other"]), anyType(random));
  },
  (doc, random) => {
    const text = new Y.Text("x");
    doc.getMap("nodes").set(KEY, text);
    text.insertEmbed(0, oneOf(random, [{ image: "x" }, [], "x"]) as object);
  },
  (doc, random) => {
    const text = new Y.Text("some text");
    doc.getMap("nodes").set(KEY, text);
    const name = oneOf(random, ["b", "a", "d", ...ODD_NAMES]);
    const value = oneOf<unknown>(random, [1, {}, "javascript:alert(1)", "2026-13-45", []]);
    text.format(0, 4, { [name]: value });
  },
  (doc) => {
    let map = new Y.Map<unknown>();
    doc.getMap("nodes").set(KEY, map);
    for (let depth = 0; depth < 200; depth++) {
      const inner = new Y.Map<unknown>();
      map.set("inner", inner);
      map = inner;
    }
  },
];

/** Updates that no client writes. */
const WRONG_BYTES: readonly ((random: Random, others: readonly OthersPlace[]) => Uint8Array)[] = [
  // Clocks and client ids at the ends of what a number holds.
  (random) => {
    const client = oneOf(random, [0, 2 ** 53 - 1, 2 ** 32, 2 ** 28 - 1, 2 ** 28 - 100]);
    const clock = oneOf(random, [0, 1, 2 ** 48, 2 ** 53 - 1]);
    return handmadeUpdate([{ client, clock, structs: [inRoot("meta", "v", CONTENT.any(1))] }]);
  },
  // Numbers longer than any.
  (random) => {
    const long = new Uint8Array(integerBelow(random, 40) + 9).fill(0xff);
    const at = integerBelow(random, 4);
    return new Uint8Array([...[1, 1, 5, 0].slice(0, at), ...long, 0x7f]);
  },
  // Counts of what is not there.
  (random) => {
    const count = oneOf(random, [2, 1_000, 2 ** 31, 2 ** 53 - 1]);
    const structs = [inRoot("meta", "v", CONTENT.any(1))];
    return handmadeUpdate([{ client: strangeClient(random), structs, count }]);
  },
  // Collected structs, holes and deletions of whatever length.
  (random) => {
    const ref = oneOf(random, [0, 10, 1]);
    const length = oneOf(random, [0, 1, 2 ** 32, 2 ** 53 - 1]);
    const { write } = CONTENT.length(ref, length);
    return handmadeUpdate([
      {
        client: strangeClient(random),
        structs: [(encoder) => (encoding.writeUint8(encoder, ref), write(encoder))],
      },
    ]);
  },
  // What builds on something that never comes.
  (random) => {
    const client = strangeClient(random);
    const clock = integerBelow(random, 1_000) + 1;
    const structs = [behind(strangeClient(random), clock, CONTENT.text("pending"))];
    return handmadeUpdate([{ client, clock: integerBelow(random, 2) * clock, structs }]);
  },
  // What builds on itself, and two that build on each other.
  (random) => {
    const client = strangeClient(random);
    const structs = [behind(client, integerBelow(random, 3), CONTENT.text("self"))];
    return handmadeUpdate([{ client, structs }]);
  },
  (random) => {
    const [one, other] = [strangeClient(random), strangeClient(random)];
    return handmadeUpdate([
      { client: one, structs: [behind(other, 0, CONTENT.text("a"))] },
      { client: other, structs: [behind(one, 0, CONTENT.text("b"))] },
    ]);
  },
  // Under the id of somebody else, at the next clock, at a known one, and beyond.
  (random, others) => {
    if (others.length === 0) return new Uint8Array([0]);
    const { client, clock } = oneOf(random, others);
    const at = oneOf(random, [clock, clock, Math.max(0, clock - 1), clock + 5]);
    const structs = [inRoot("meta", "forged", CONTENT.any(integerBelow(random, 1e6)))];
    return handmadeUpdate([{ client, clock: at, structs }]);
  },
  // Deletions of what is not there, and ranges in disorder.
  (random) => {
    const client = strangeClient(random);
    const ranges = oneOf(random, [
      [0, 0],
      [5, 1, 0, 1],
      [0, 2 ** 53 - 1],
      [2 ** 53 - 1, 1],
      [7, 7],
    ]);
    return handmadeUpdate([], [{ client, ranges }]);
  },
  // Content of every kind there is and is not, with whatever bytes.
  (random) => {
    const bytes = Uint8Array.from({ length: integerBelow(random, 30) }, () => random() * 256);
    const content = CONTENT.bytes(integerBelow(random, 32), bytes);
    const root = oneOf(random, ["nodes", "keys", "clk", "meta", ...OWN_PROTOTYPE_NAMES]);
    const entry = random() < 0.3 ? undefined : oneOf(random, [KEY, ...OWN_PROTOTYPE_NAMES]);
    return handmadeUpdate([
      { client: strangeClient(random), structs: [inRoot(root, entry, content)] },
    ]);
  },
  // A text within a text within a text; types that are none.
  (random) => {
    const client = strangeClient(random);
    const typeRef = oneOf(random, [0, 1, 2, 3, 4, 5, 6, 7, 2 ** 40]);
    const structs = [inRoot("nodes", KEY, CONTENT.type(typeRef))];
    for (let clock = 0; clock < 5; clock++) structs.push(inType(client, clock, CONTENT.type(2)));
    return handmadeUpdate([{ client, structs }]);
  },
  // Surrogates torn apart, and bytes that are no UTF-8.
  (random) => {
    const client = strangeClient(random);
    const halves = CONTENT.bytes(
      4,
      new Uint8Array([3, 0xed, 0xa0, 0x80 + integerBelow(random, 64)]),
    );
    const structs = [inRoot("nodes", KEY, CONTENT.type(2)), inType(client, 0, halves)];
    return handmadeUpdate([{ client, structs }]);
  },
  // Formats that begin and never end.
  (random) => {
    const client = strangeClient(random);
    const structs = [inRoot("nodes", KEY, CONTENT.type(2))];
    const content = CONTENT.format(oneOf(random, ["b", "x".repeat(70), "__proto__"]), "true");
    structs.push(inType(client, 0, content));
    for (let count = 1; count < 50; count++) structs.push(behind(client, count, content));
    return handmadeUpdate([{ client, structs }]);
  },
];

/** Updates as clients really make them, one by one, merged and whole: what others are damaged from. */
function realUpdates(random: Random): Uint8Array[] {
  const updates: Uint8Array[] = [];
  for (let client = 0; client < 4; client++) {
    const doc = outlineDoc(strangeClient(random));
    const made: Uint8Array[] = [];
    doc.on("update", (update: Uint8Array) => made.push(update));
    for (let edit = 0; edit < 60; edit++) editAtRandom(doc, random);
    updates.push(...made, fullUpdate(doc), Y.mergeUpdates(made.slice(10, 20)));
  }
  return updates;
}

/** Damages an update the way a broken or hostile sender might. */
function damaged(update: Uint8Array, random: Random): Uint8Array {
  const roll = random();
  if (roll < 0.15) return update.subarray(0, integerBelow(random, update.length));
  const bytes = update.slice();
  for (let flips = 1 + integerBelow(random, 4); flips > 0; flips--) {
    const at = integerBelow(random, bytes.length);
    bytes[at] = roll < 0.6 ? (bytes[at] ?? 0) ^ (1 << integerBelow(random, 8)) : random() * 256;
  }
  return bytes;
}

/** Updates that nobody should send, without end: from a stock that is made once, mostly damaged. */
export class HostileUpdates {
  readonly #random: Random;
  readonly #others: () => readonly OthersPlace[];
  readonly #stock: readonly Uint8Array[];

  /** @param others where other clients of the outline write now */
  constructor(random: Random, others: () => readonly OthersPlace[]) {
    this.#random = random;
    this.#others = others;
    const wrong = WRONG_EDITS.flatMap((edit) => Array.from({ length: 8 }, () => this.#made(edit)));
    this.#stock = [...realUpdates(random), ...wrong];
  }

  next(): Uint8Array {
    const random = this.#random;
    const roll = random();
    if (roll < 0.5) return damaged(oneOf(random, this.#stock), random);
    if (roll < 0.6) return oneOf(random, this.#stock);
    if (roll < 0.85) return oneOf(random, WRONG_BYTES)(random, this.#others());
    const below = random() < 0.5 ? 8 : 256;
    return Uint8Array.from({ length: integerBelow(random, 60) }, () => integerBelow(random, below));
  }

  #made(edit: (doc: Y.Doc, random: Random) => void): Uint8Array {
    const doc = new Y.Doc();
    doc.clientID = strangeClient(this.#random);
    try {
      edit(doc, this.#random);
    } catch {
      // The library itself refuses some; what it did until then is as good.
    }
    return Y.encodeStateAsUpdate(doc);
  }
}
