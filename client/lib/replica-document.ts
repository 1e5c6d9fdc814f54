import type * as Y from "yjs";
import type { NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { SCHEMA_VERSION } from "../../src/core/schema.ts";
import type { Edits } from "./edit/edits.ts";
import { LocalEdits } from "./edit/local-edits.ts";
import { UndoHistory } from "./edit/undo-history.ts";
import { FROM_ELSEWHERE } from "./load-replica.ts";
import type { Platform } from "./platform.ts";
import { ReadOnlyEdits } from "./read-only-edits.ts";

/** A document with all that is made of it, while it is the replica's. */
export class ReplicaDocument {
  readonly outline: Outline;
  readonly history: UndoHistory;
  readonly #edits: Edits;
  readonly #readOnly: Edits;
  readonly #stop: () => void;

  /**
   * @param seq what this device has of the log
   * @param onOwn is handed each update that is made here
   */
  constructor(
    outline: Outline,
    seq: () => number,
    { elapsed: now }: Pick<Platform, "elapsed">,
    onOwn: (update: Uint8Array) => void,
  ) {
    const history = new UndoHistory({ outline, seq, now });
    const edits = new LocalEdits({ outline, history });
    this.outline = outline;
    this.history = history;
    this.#edits = edits;
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
    this.history.close();
  }

  /** What is made from now on is nobody's edit. */
  leave(): void {
    this.closeEdits();
    this.#stop();
    this.outline.detach();
  }
}
