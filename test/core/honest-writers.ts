import * as Y from "yjs";
import * as ywasm from "ywasm";
import { newNodeKey } from "../../src/core/node-key.ts";
import { marksOf, metaOf, nodesOf, shortcutsOf } from "../../src/core/schema.ts";
import { editAtRandom, outlineDoc, wholeCharacters } from "../documents/support/random-edits.ts";
import { integerBelow, oneOf } from "../support/seeded-random.ts";

/** A client that means well, by whatever program it writes. */
export interface HonestWriter {
  readonly name: string;
  /** The updates that its edits made, in their order. */
  readonly made: readonly Uint8Array[];
  edit(random: () => number): void;
  receive(update: Uint8Array): void;
  /** What a replica with this state vector lacks; without one, all. */
  difference(stateVector?: Uint8Array): Uint8Array;
}

const NETWORK = "network";

/** How a program uses Yjs. */
export interface YjsHabits {
  /** It keeps what is deleted. */
  readonly keepsAll: boolean;
  /** It has an undo manager on each of these, and uses it. */
  readonly undoes: "nothing" | "nodes" | "everything";
  /** One step of undo takes back all edits since the last one, and not each by itself. */
  readonly undoesMuch: boolean;
}

export function yjsWriter(clientId: number, habits: YjsHabits): HonestWriter {
  const doc = outlineDoc(clientId, { gc: !habits.keepsAll });
  const made: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array, origin: unknown) => {
    if (origin !== NETWORK) made.push(update);
  });
  const roots = [nodesOf(doc), shortcutsOf(doc), metaOf(doc), marksOf(doc)];
  const scope = { nothing: [], nodes: roots.slice(0, 1), everything: roots }[habits.undoes];
  const captureTimeout = habits.undoesMuch ? 2 ** 40 : 0;
  const history = scope.length === 0 ? undefined : new Y.UndoManager(scope, { captureTimeout });
  return {
    name: JSON.stringify(habits),
    made,
    edit(random) {
      const roll = random();
      if (roll < 0.2) history?.undo();
      else if (roll < 0.3) history?.redo();
      else if (roll < 0.5) setOften(doc, random);
      else editAtRandom(doc, random);
      if (random() < 0.2) history?.stopCapturing();
    },
    receive: (update) => Y.applyUpdate(doc, update, NETWORK),
    difference: (stateVector) => Y.encodeStateAsUpdate(doc, stateVector),
  };
}

/** Sets one thing again and again, as a slider or a toggle does. */
function setOften(doc: Y.Doc, random: () => number): void {
  const set = setterOf(doc, random);
  const count = 2 + integerBelow(random, 3);
  const setAll = (): void => {
    for (let index = 0; index < count; index++) set(index);
  };
  if (random() < 0.5) doc.transact(setAll);
  else setAll();
}

function setterOf(doc: Y.Doc, random: () => number): (value: number) => void {
  const texts = [...nodesOf(doc).values()];
  const roll = random();
  if (roll < 0.2) return (value) => void shortcutsOf(doc).set("a", `a1b2c3d4e5f${value}`);
  if (roll < 0.4 || texts.length === 0) return (value) => void metaOf(doc).set("later", [value]);
  const text = oneOf(random, texts);
  if (roll < 0.6) return (value) => text.setAttribute("x", value);
  if (roll < 0.8) return (value) => text.setAttribute("p", `p${value}`);
  return (value) => text.setAttribute("later", "x".repeat(2_000 + value));
}

/** A program in Rust, or in whatever has Yrs below it. Its texts can't be given attributes. */
export function yrsWriter(clientId: number, { keepsAll }: { keepsAll: boolean }): HonestWriter {
  const doc = new ywasm.YDoc({ clientID: clientId, gc: !keepsAll });
  const nodes = doc.getMap("nodes");
  const others = [doc.getMap("keys"), doc.getMap("meta")];
  const marks = doc.getArray("clk");
  const made: Uint8Array[] = [];
  const edit = (random: () => number): void => {
    const texts: unknown[] = Object.values(nodes.entries(undefined) as Record<string, unknown>);
    const text = oneOf(random, [...texts, "a new one"]);
    const roll = random();
    if (!(text instanceof ywasm.YText)) {
      nodes.set(newNodeKey(random), new ywasm.YText("made by Yrs 📆"), undefined);
    } else if (roll < 0.3) {
      text.insert(positionIn(text, random), "word 📆", undefined, undefined);
    } else if (roll < 0.5) {
      const [from = 0, to = 0] = [positionIn(text, random), positionIn(text, random)].sort(
        (one, other) => one - other,
      );
      text.delete(from, to - from, undefined);
    } else if (roll < 0.6) {
      text.format(0, text.length(undefined), { b: true }, undefined);
    } else if (roll < 0.7) {
      marks.push([1_700_000_000 + integerBelow(random, 1_000)], undefined);
    } else {
      const count = 1 + integerBelow(random, 3);
      const [keys, settings] = others;
      for (let index = 0; index < count; index++) {
        if (roll < 0.85) keys?.set("a", `a1b2c3d4e5f${index}`, undefined);
        else settings?.set("weekStart", index, undefined);
      }
    }
  };
  return {
    name: `Yrs, ${keepsAll ? "keeps all" : "collects"}`,
    made,
    edit(random) {
      const before = ywasm.encodeStateVector(doc);
      edit(random);
      made.push(ywasm.encodeStateAsUpdate(doc, before));
    },
    receive: (update) => ywasm.applyUpdate(doc, update, NETWORK),
    difference: (stateVector) => ywasm.encodeStateAsUpdate(doc, stateVector),
  };
}

/** Between two characters: of one that is cut in half, Yrs makes a struct of no length. */
function positionIn(text: ywasm.YText, random: () => number): number {
  const shown = text.toString(undefined);
  return wholeCharacters(shown, integerBelow(random, shown.length + 1));
}
