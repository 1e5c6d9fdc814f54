import * as Y from "yjs";
import { newOutlineId } from "../../../../src/core/node-key.ts";
import { Outline } from "../../../../src/core/outline.ts";
import { LocalEdits } from "../../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../../client/lib/edit/undo-history.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

export const NOW_MS = Date.UTC(2026, 10, 20, 12);

export interface TestOutline {
  readonly outline: Outline;
  readonly edits: LocalEdits;
  readonly history: UndoHistory;
}

/** A device's outline without a store or a server. */
export function testOutline({ seed = 1, nowMs = NOW_MS } = {}): TestOutline {
  const now = (): number => nowMs;
  const ports = { id: newOutlineId(seededRandom(7)), now, random: seededRandom(seed) };
  const outline = Outline.attach(new Y.Doc(), { ...ports, isDevice: true });
  const seq = (): number => 1;
  const history = new UndoHistory({ outline, seq, now });
  return { outline, edits: new LocalEdits({ outline, history }), history };
}
