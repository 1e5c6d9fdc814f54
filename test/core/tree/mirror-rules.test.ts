import { expect, test } from "vitest";
import * as Y from "yjs";
import { CONFLICT_RULES, type ConflictRules } from "../../../src/core/tree/conflict-rules.ts";
import { newOutlineId, type NodeKey } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { ATTRIBUTE, nodesOf, textOf } from "../../../src/core/schema.ts";
import { HandClock } from "../../support/lab.ts";
import { keyOf, plant } from "../../support/outline-notation.ts";
import { seededRandom } from "../../support/seeded-random.ts";

/** What a scene needs: an outline with a line `a` that has a child, a line `c`, and a mirror of `a` in `c`. */
interface Cast {
  readonly outline: Outline;
  readonly at: (line: string) => NodeKey;
  readonly mirror: NodeKey;
}

interface Mutant {
  readonly what: string;
  readonly rules: Partial<ConflictRules>;
  readonly play: (cast: Cast) => void;
  readonly wanted: string;
}

const MUTANTS: readonly Mutant[] = [
  {
    what: "a mirror is shown when its origin is deleted (D121)",
    rules: { isCovered: () => false },
    play: ({ outline, at }) => outline.trash(at("a"), 0),
    wanted: "c",
  },
  {
    what: "a mirror stays away when its origin is restored (D121)",
    rules: { isCovered: () => true },
    play({ outline, at }) {
      outline.trash(at("a"), 0);
      outline.restore(at("a"));
    },
    wanted: "a a/b c c/a",
  },
  {
    what: "an origin that a program puts into its own mirror is in a part of its own (D122)",
    rules: { mirrorsHold: true },
    play({ outline, at, mirror }) {
      outline.move(at("c"), { parent: at("a") });
      putRaw(outline, at("a"), mirror);
    },
    wanted: "a a/b a/c c/a",
  },
  {
    what: "what a program puts into a mirror is at the top level (D123)",
    rules: { placeThroughMirror: () => undefined },
    play: ({ outline, mirror }) => putRaw(outline, outline.freeKey(), mirror),
    wanted: "a a/b a/raw c c/a",
  },
];

/** What a program writes that does not know mirrors. */
function putRaw({ doc }: Outline, key: NodeKey, parent: NodeKey): void {
  doc.transact(() => {
    let text = textOf(nodesOf(doc), key);
    if (text === undefined) nodesOf(doc).set(key, (text = new Y.Text("raw")));
    const place = encodePlacement({ parent, order: "V", createdAt: 1 });
    text.setAttribute(ATTRIBUTE.placement, place);
  });
}

/** Each visible node once: its name behind that of what it is in. */
function lines(outline: Outline): string {
  const found = [...outline.nodesInOrder()].map(({ name, parent }) => {
    const above = outline.node(parent)?.name;
    return above === undefined ? name : `${above}/${name}`;
  });
  return found.toSorted().join(" ");
}

function outcome({ play }: Mutant, rules: ConflictRules): string {
  const doc = new Y.Doc();
  doc.clientID = 1;
  const random = seededRandom(1);
  const ports = { id: newOutlineId(random), now: new HandClock().now, random };
  const outline = Outline.attach(doc, ports, rules);
  const keys = plant(outline, "a(b) c");
  const at = (line: string): NodeKey => keyOf(keys, line);
  const made = outline.mirror(at("a"), { parent: at("c") });
  if (made.kind !== "created") throw new Error(made.kind);
  play({ outline, at, mirror: made.key });
  const again = new Y.Doc();
  Y.applyUpdate(again, Y.encodeStateAsUpdate(doc));
  expect(lines(outline)).toBe(lines(Outline.attach(again, ports, rules)));
  return lines(outline);
}

test.each(MUTANTS.map((mutant) => [mutant.what, mutant] as const))(
  "[D53] a mutant is found: %s",
  (_, mutant) => {
    expect(outcome(mutant, CONFLICT_RULES)).toBe(mutant.wanted);
    expect(outcome(mutant, { ...CONFLICT_RULES, ...mutant.rules })).not.toBe(mutant.wanted);
  },
);
