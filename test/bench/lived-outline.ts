import * as Y from "yjs";
import { cutAhead } from "../../src/core/yjs/cut-ahead.ts";
import { inOneGo } from "../../src/core/in-one-go.ts";
import { newOutlineId, ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { integerBelow, oneOf } from "../support/seeded-random.ts";
import { nameOf } from "./grown-document.ts";
import { UpdateBuilder } from "./update-builder.ts";

/** An outline that was imported once and edited for years. */
export interface LivedOutline {
  /** All of it but the tail. */
  readonly doc: Y.Doc;
  /** Edits that came last, an update each. */
  readonly tail: readonly Uint8Array[];
}

/** How much has happened to an outline. */
export interface Life {
  readonly nodes: number;
  /** Text edits, of which each changes another place of a name. */
  readonly edits: number;
  readonly moves: number;
  /** Text edits behind all others. */
  readonly tail: number;
}

/** A hundred thousand nodes, and what a few years of work leave: two edits and more for each node. */
export const YEARS = { edits: 2.3, moves: 0.22 } as const;

const IMPORTER = 100;
const MOVER = 101;
/** Two devices, which write in turn. */
const EDITORS = [102, 103] as const;
const BATCH = 1_000;
/** A place that is edited: at its begin something is put in, and a part of it may be deleted. */
const PLACE = 6;
const REPLACED = 5;

interface Places {
  readonly client: number;
  /** Of the first character of a name. */
  readonly clock: number;
  /** Places that nobody has edited, in the order in which they will be [by index]. */
  readonly left: number[];
}

/**
 * Makes an outline as an import by one client leaves it, with edits by others at random places, as Yjs
 * writes them: each cuts what was imported in two or three. The same seed makes the same.
 */
export function livedOutline({ nodes, edits, moves, tail }: Life, random: Random): LivedOutline {
  const doc = new Y.Doc();
  doc.clientID = IMPORTER;
  let now = Date.UTC(2020, 0, 1);
  const outline = Outline.attach(doc, { id: newOutlineId(random), now: () => now, random });
  const keys: NodeKey[] = [];
  inBatches(doc, nodes, (index) => {
    const parent = keys[Math.floor(index / 10) - 1] ?? ROOT;
    const name = [{ insert: nameOf(random) }];
    const note = random() < 0.8 ? [{ insert: nameOf(random) }] : [];
    keys.push(outline.createPlain({ parent, position: "bottom", name, note }));
  });
  doc.clientID = MOVER;
  inBatches(doc, moves, () => {
    now += 60_000;
    outline.move(oneOf(random, keys), { parent: oneOf(random, keys) });
  });
  outline.detach();
  const places = keys.flatMap((key) => placesOf(doc, key, random) ?? []);
  const editors = EDITORS.map((client) => new Editor(client, places, random));
  const editor = (index: number): Editor =>
    editors[index % editors.length] ?? oneOf(random, editors);
  const history = Array.from({ length: Math.ceil(edits / BATCH) }, (_, index) =>
    editor(index).edit(Math.min(BATCH, edits - index * BATCH)),
  );
  inOneGo(cutAhead(doc, history, 0));
  doc.transact(() => {
    for (const update of history) Y.applyUpdate(doc, update);
  });
  return { doc, tail: Array.from({ length: tail }, (_, index) => editor(index).edit(1)) };
}

function inBatches(doc: Y.Doc, count: number, work: (index: number) => void): void {
  for (let start = 0; start < count; start += BATCH) {
    doc.transact(() => {
      for (let index = start; index < Math.min(count, start + BATCH); index++) work(index);
    });
  }
}

function placesOf(doc: Y.Doc, key: NodeKey, random: Random): Places | undefined {
  const first = nodesOf(doc).get(key)?._start;
  if (first === null || first === undefined) return undefined;
  const { client, clock } = first.id;
  // Not at the very begin, and each with a neighbour on both sides.
  const count = Math.floor((first.length - 1) / PLACE);
  const left = Array.from({ length: count }, (_, place) => clock + 1 + place * PLACE);
  left.sort(() => random() - 0.5);
  return { client, clock, left };
}

/** Writes what one device edits, without a document of its own. */
class Editor {
  readonly #client: number;
  readonly #places: readonly Places[];
  readonly #random: Random;
  #clock = 0;

  constructor(client: number, places: readonly Places[], random: Random) {
    this.#client = client;
    this.#places = places;
    this.#random = random;
  }

  /** One update with so many edits: two in three replace something, the others insert. */
  edit(count: number): Uint8Array {
    const update = new UpdateBuilder(this.#client, this.#clock);
    const deleted: number[] = [];
    for (let done = 0; done < count;) {
      const { client, left } = oneOf(this.#random, this.#places);
      const at = left.pop();
      if (at === undefined) continue;
      const text = nameOf(this.#random).slice(0, 1 + integerBelow(this.#random, 10));
      update.add({ text }, { left: [client, at - 1], right: [client, at] });
      this.#clock += text.length;
      if (done % 3 < 2) deleted.push(at, REPLACED);
      done++;
    }
    return update.delete(IMPORTER, deleted).encode();
  }
}
