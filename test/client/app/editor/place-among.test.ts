import fc from "fast-check";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { editAmong } from "../../../../client/app/editor/place-among.ts";
import type { DeltaStep } from "../../../../client/app/editor/text-difference.ts";

const change = fc.record({ at: fc.nat(20), remove: fc.nat(3), insert: fc.nat(3) });

test("[W4] of what was replaced what is still there goes, and nothing that others wrote", () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 4 }),
      fc.nat(19),
      fc.nat(8),
      fc.nat(3),
      (changes, at, remove, length) => {
        const text = new Y.Doc().getText();
        const letters = Array.from({ length: 20 }, (_, index) => String.fromCharCode(65 + index));
        text.insert(0, letters.join(""));
        const waiting: (readonly DeltaStep[])[] = [];
        text.observe((event) => waiting.push(event.delta));
        for (const { at: place, remove: count, insert } of changes) {
          const from = Math.min(place, text.length);
          text.doc?.transact(() => {
            text.delete(from, Math.min(count, text.length - from));
            text.insert(from, "?".repeat(insert));
          });
        }
        const others = text.toJSON();
        const insert = "!".repeat(length);
        const { edits, head } = editAmong([...waiting], { at, remove, insert }, at + length);
        for (const edit of edits) {
          text.delete(edit.at, edit.remove);
          text.insert(edit.at, edit.insert);
        }
        const gone = letters.slice(at, at + remove);
        const now = text.toJSON();
        expect(now.replace(insert, "")).toBe(
          others
            .split("")
            .filter((letter) => !gone.includes(letter))
            .join(""),
        );
        expect(now.slice(head - length, head)).toBe(insert);
      },
    ),
    { numRuns: 1_000 },
  );
});
