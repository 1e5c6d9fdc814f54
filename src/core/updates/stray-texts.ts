import * as Y from "yjs";
import { getOrMake } from "../get-or-make.ts";
import { inRanges } from "../yjs/clock-ranges.ts";
import { encodePlan } from "./update-plan.ts";
import type { DeleteSection, StructRecord } from "./update-reader.ts";
import type { Incoming } from "./update-places.ts";

/** Text that a client wrote into what has been deleted and collected. */
export interface StrayText {
  readonly client: number;
  readonly text: string;
}

interface Piece {
  readonly clock: number;
  readonly text: string;
  /** Whether it was typed behind the character with the clock before. */
  readonly isTypedOn: boolean;
}

/** Characters that are looked at in a step, or pieces of text. */
const STEP = 8_192;

/** Stands between texts that were typed into different places. */
const GAP = " … ";

/**
 * The text of an update that goes nowhere, because the line that it was typed into has been removed
 * from the document: Yjs keeps nothing of it. In time linear in that text and in the update's ranges.
 */
export class StrayTexts {
  readonly #pieces = new Map<number, Piece[]>();

  /** @param index of the struct in its section */
  add(struct: StructRecord, { client, source, structs, known }: Incoming, index: number): void {
    const run = { client, source, structs, from: index, to: index + 1 };
    const [decoded] = Y.decodeUpdate(encodePlan({ runs: [run], deletes: [] })).structs;
    const content = decoded instanceof Y.Item ? decoded.content : undefined;
    if (!(content instanceof Y.ContentString)) return;
    const clock = Math.max(struct.clock, known);
    const { origin } = struct;
    const isTypedOn = origin?.client === client && origin.clock === struct.clock - 1;
    const piece = { clock, text: content.str.slice(clock - struct.clock), isTypedOn };
    getOrMake(this.#pieces, client, () => []).push(piece);
  }

  /** All of it but for what the same update deletes, as one text for each client; in short steps. */
  *without(deletes: readonly DeleteSection[]): Generator<void, readonly StrayText[]> {
    const texts: StrayText[] = [];
    if (this.#pieces.size === 0) return texts;
    const rangesOf = new Map(deletes.map(({ client, ranges }) => [client, ranges]));
    let steps = 0;
    for (const [client, pieces] of this.#pieces) {
      const isDeleted = inRanges(rangesOf.get(client) ?? []);
      let text = "";
      for (const piece of pieces) {
        steps += 1 + piece.text.length;
        if (steps > STEP) {
          steps = 0;
          yield;
        }
        let kept = "";
        for (let at = 0; at < piece.text.length; at++) {
          if (!isDeleted(piece.clock + at)) kept += piece.text.charAt(at);
        }
        if (kept === "") continue;
        text += text === "" || piece.isTypedOn ? kept : GAP + kept;
      }
      if (text.trim() !== "") texts.push({ client, text });
    }
    return texts;
  }
}
