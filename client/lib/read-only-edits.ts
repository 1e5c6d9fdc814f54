import type * as Y from "yjs";
import type { NodeKey } from "../../src/core/node-key.ts";
import { NOT_FOUND, type Refusal } from "../../src/core/refusal.ts";
import type { TextPart } from "../../src/core/node/text-part.ts";
import type { Edits } from "./edit/edits.ts";

/**
 * Edits of a document that this program may not change, since it does not know all that is in it:
 * every one is refused, as if there was nothing to edit.
 */
export class ReadOnlyEdits implements Edits {
  readonly #text: (key: NodeKey, part: TextPart) => Y.Text | undefined;

  /** @param text finds a text without making one */
  constructor(text: (key: NodeKey, part: TextPart) => Y.Text | undefined) {
    this.#text = text;
  }

  text(key: NodeKey, part: TextPart): Y.Text | undefined {
    return this.#text(key, part);
  }

  readonly type = refuse;
  readonly format = refuse;
  readonly followName = refuse;
  readonly create = refuse;
  readonly mirror = refuse;
  readonly split = refuse;
  readonly join = refuse;
  readonly move = refuse;
  readonly arrange = refuse;
  readonly complete = refuse;
  readonly layout = refuse;
  readonly trash = refuse;
  readonly restore = refuse;
  readonly purge = refuse;
  readonly duplicate = refuse;
  readonly insert = refuse;
  readonly setShortcut = refuse;
  readonly removeShortcut = refuse;
}

function refuse(): Refusal {
  return NOT_FOUND;
}
