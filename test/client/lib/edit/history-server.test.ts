import fc from "fast-check";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { LocalEdits } from "../../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../../client/lib/edit/undo-history.ts";
import { inspectUpdate } from "../../../support/inspect-update.ts";
import { DEFAULT_UPDATE_LIMITS } from "../../../../src/core/updates/update-limits.ts";
import { Lab } from "../../../support/lab.ts";
import { shown } from "./desk.ts";
import { makeEdit, randomEdit } from "./random-edits.ts";
import { runs } from "../../../support/runs.ts";

const turn = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("edit" as const), edit: randomEdit }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("undo", "redo", "meet") }) },
);

test("[L70, D65] with a server that repairs, undo is as exact, and nothing of it is refused", () => {
  let judged = 0;
  fc.assert(
    fc.property(fc.array(turn, { minLength: 2, maxLength: 25 }), (turns) => {
      const lab = new Lab("one(two(three) four) five six(seven)", 2);
      const { clock } = lab;
      const { doc, outline } = lab.device(0);
      const history = new UndoHistory({ outline, seq: () => lab.device(0).seen, now: clock.now });
      const edits = new LocalEdits({ outline, history });
      const before = shown(outline);
      const guard = new Y.Doc();
      Y.applyUpdate(guard, Y.encodeStateAsUpdate(doc));
      doc.on("update", (update: Uint8Array, origin: unknown) => {
        const { kind } = inspectUpdate(guard, update, DEFAULT_UPDATE_LIMITS);
        if (typeof origin !== "symbol" || origin.description !== "network") {
          expect(kind).toBe("ok");
          judged++;
        }
        Y.applyUpdate(guard, update);
      });
      for (const each of turns) {
        if (each.kind === "edit") makeEdit({ outline, edits, clock }, each.edit);
        else if (each.kind === "meet") lab.meet();
        else history[each.kind]();
      }
      lab.meet();
      const after = shown(outline);
      while (history.canUndo) history.undo();
      expect(shown(outline)).toBe(before);
      lab.meet();
      lab.meet();
      expect(shown(outline)).toBe(before);
      expect(shown(lab.server.outline)).toBe(before);
      expect(shown(lab.device(1).outline)).toBe(before);
      while (history.canRedo) history.redo();
      lab.meet();
      lab.meet();
      if (!turns.some(({ kind }) => kind === "undo" || kind === "redo")) {
        expect(shown(outline)).toBe(after);
      }
      expect(shown(lab.server.outline)).toBe(shown(outline));
    }),
    { numRuns: runs(50, 150) },
  );
  expect(judged).toBeGreaterThan(runs(300, 1_000));
});
