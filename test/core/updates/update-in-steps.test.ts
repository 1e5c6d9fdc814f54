import { expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId, ROOT } from "../../../src/core/node-key.ts";
import type { NodePatch } from "../../../src/core/node/node-patch.ts";
import { Outline } from "../../../src/core/outline.ts";
import { seededRandom } from "../../support/seeded-random.ts";

function outlineWith(name: string) {
  const random = seededRandom(5);
  const outline = Outline.attach(new Y.Doc(), {
    id: newOutlineId(random),
    now: () => 1_700_000_000_000,
    random,
  });
  return { outline, key: outline.createPlain({ parent: ROOT, name: [{ insert: name }] }) };
}

test.each<[string, NodePatch]>([
  ["a name", { name: "- [x] one **three** two" }],
  ["a name with a base", { name: "one two and more", base: "one" }],
  ["a note", { note: "first\n<b>second</b>" }],
  ["nothing", { name: "one two" }],
  ["everything", { name: "# other", note: "note", layout: "h2", completed: true }],
])("[Q14] an update of %s rests between its steps, and comes to the same", (_what, patch) => {
  const inOne = outlineWith("one two");
  expect(inOne.outline.update(inOne.key, patch)).toEqual({ kind: "ok" });
  const inSteps = outlineWith("one two");
  const steps = [...inSteps.outline.updateInSteps(inSteps.key, patch)];
  expect(steps.length).toBeGreaterThan(1);
  expect(inSteps.outline.node(inSteps.key)).toEqual(inOne.outline.node(inOne.key));
});

test("[Q14] an update in steps of a node that is not there is refused", () => {
  const { outline, key } = outlineWith("one");
  outline.remove(key);
  expect(outline.updateInSteps(key, { name: "x" }).next()).toEqual({
    done: true,
    value: { kind: "not_found" },
  });
});
