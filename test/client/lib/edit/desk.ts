import * as Y from "yjs";
import { LocalEdits } from "../../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../../client/lib/edit/undo-history.ts";
import { newOutlineId, ROOT, type NodeKey } from "../../../../src/core/node-key.ts";
import { Outline } from "../../../../src/core/outline.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";
import { HandClock } from "../../../support/lab.ts";
import { keyOf, plant, type Keys, type Notation } from "../../../support/outline-notation.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

/** A device at which somebody edits, and another whose updates it gets when a test says so. */
export class Desk {
  readonly clock = new HandClock();
  readonly outline: Outline;
  readonly history: UndoHistory;
  readonly edits: LocalEdits;
  readonly remote: Outline;
  readonly keys: Keys;

  constructor(notation: Notation = "") {
    this.outline = attach(10, this.clock);
    this.keys = plant(this.outline, notation);
    this.remote = attach(20, this.clock);
    this.sync();
    const { outline } = this;
    this.history = new UndoHistory({ outline, seq: () => 0, now: this.clock.now });
    this.edits = new LocalEdits({ outline, history: this.history });
  }

  key(name: string): NodeKey {
    return keyOf(this.keys, name);
  }

  /** The characters of a text. */
  plain(key: NodeKey, part: "name" | "note"): string {
    return plainText(this.outline.richText(key, part));
  }

  /** Types a text at the end of a name. */
  type(name: string, text: string): void {
    const key = this.key(name);
    const at = this.edits.text(key, "name")?.length ?? 0;
    this.edits.type(key, "name", { at, remove: 0, insert: text });
  }

  /** Undoes everything. */
  undoAll(): void {
    while (this.history.canUndo) this.history.undo();
  }

  redoAll(): void {
    while (this.history.canRedo) this.history.redo();
  }

  /** Brings both to the same state. */
  sync(): void {
    const [here, there] = [this.outline.doc, this.remote.doc];
    const forHere = Y.encodeStateAsUpdate(there, Y.encodeStateVector(here));
    const forThere = Y.encodeStateAsUpdate(here, Y.encodeStateVector(there));
    Y.applyUpdate(here, forHere, "network");
    Y.applyUpdate(there, forThere, "network");
  }
}

/** Everything that is shown, a line for each node. */
export function shown(outline: Outline, parent: NodeKey = ROOT, indent = ""): string {
  let lines = "";
  for (const node of outline.children(parent)) {
    const done = node.completedAt === null ? "" : ` done ${node.completedAt}`;
    const note = node.note === null ? "" : ` note ${JSON.stringify(node.note)}`;
    const layout = node.layout === "bullets" ? "" : ` ${node.layout}`;
    lines += `${indent}${JSON.stringify(node.name)}${layout}${done}${note}\n`;
    lines += shown(outline, node.key, `${indent}  `);
  }
  return lines;
}

function attach(client: number, clock: HandClock): Outline {
  const doc = new Y.Doc();
  doc.clientID = client;
  const random = seededRandom(client);
  return Outline.attach(doc, { id: newOutlineId(random), now: clock.now, random, isDevice: true });
}
