import type * as Y from "yjs";
import type { NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { SCHEMA_VERSION } from "../../src/core/schema.ts";
import type { Edits } from "./edit/edits.ts";
import type { History } from "./edit/history.ts";
import { FROM_ELSEWHERE } from "./load-replica.ts";
import { ReadOnlyEdits } from "./read-only-edits.ts";

/** What a person does in an outline, and how it is undone. */
export interface Editing {
  readonly edits: Edits;
  readonly history: History;
  /** From now on every edit throws. */
  readonly close: () => void;
}

/** Makes them for an outline. @param seq what this device has of the log */
export type EditingOf = (outline: Outline, seq: () => number) => Editing;

/** A document with all that is made of it, while it is the replica's. */
export class ReplicaDocument {
  readonly outline: Outline;
  readonly history: History;
  readonly #edits: Edits;
  readonly #readOnly: Edits;
  readonly #close: () => void;
  readonly #stop: () => void;

  /** @param onOwn is handed each update that is made here */
  constructor(outline: Outline, editing: Editing, onOwn: (update: Uint8Array) => void) {
    const { edits, history } = editing;
    this.outline = outline;
    this.history = history;
    this.#edits = edits;
    this.#close = editing.close;
    this.#readOnly = new ReadOnlyEdits((key: NodeKey, part) => edits.text(key, part));
    const onUpdate = (update: Uint8Array, origin: unknown): void => {
      if (origin !== FROM_ELSEWHERE) onOwn(update);
    };
    outline.doc.on("update", onUpdate);
    this.#stop = () => outline.doc.off("update", onUpdate);
  }

  get doc(): Y.Doc {
    return this.outline.doc;
  }

  /** Those that refuse everything while the document is for a newer program. */
  get edits(): Edits {
    return this.isOutdated ? this.#readOnly : this.#edits;
  }

  /** Whether the document follows a schema that this program does not know. */
  get isOutdated(): boolean {
    return this.outline.schemaVersion > SCHEMA_VERSION;
  }

  /** Nothing is edited any more. What is under way elsewhere still comes in. */
  closeEdits(): void {
    this.#close();
  }

  /** What is made from now on is nobody's edit. */
  leave(): void {
    this.closeEdits();
    this.#stop();
    this.outline.detach();
  }
}
