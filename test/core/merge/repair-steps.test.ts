import { expect, test } from "vitest";
import * as Y from "yjs";
import { splitNode } from "../../../client/lib/edit/name-surgery.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { ALL_REPAIR_STEPS, type RepairSteps } from "../../../src/core/merge/repair-steps.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf, plant, shape } from "../../support/outline-notation.ts";
import type { Device } from "../../support/replicas.ts";

/** What a scene needs; the second device has the greater client id, so Yjs keeps what it wrote. */
interface Cast {
  readonly server: Outline;
  readonly one: Device;
  readonly other: Device;
  readonly at: (line: string) => NodeKey;
  /** Lets all have what there is, a minute later. */
  readonly meet: () => void;
  /** Lets time go by. */
  readonly later: () => void;
}

interface Mutant {
  readonly what: string;
  readonly without: keyof RepairSteps;
  readonly lines: string;
  readonly play: (cast: Cast) => void;
  /** What comes of it by the rules. */
  readonly shows: (outline: Outline, at: Cast["at"]) => unknown;
  readonly wanted: unknown;
}

const layoutOf: Mutant["shows"] = (outline, at) => outline.node(at("x"))?.layout;
const lines: Mutant["shows"] = (outline) => shape(outline);
const linesAndTrash: Mutant["shows"] = (outline) =>
  `${shape(outline)} | ${outline
    .trashedKeys()
    .map((key) => textOf(nodesOf(outline.doc), key)?.toJSON())
    .join()}`;

const MUTANTS: readonly Mutant[] = [
  {
    what: "a layout is as the greater client id set it (D70)",
    without: "laterWrites",
    lines: "x",
    play({ one, other, at, later }) {
      other.outline.update(at("x"), { layout: "h1" });
      later();
      one.outline.update(at("x"), { layout: "h2" });
    },
    shows: layoutOf,
    wanted: "h2",
  },
  {
    what: "a node is completed when the greater client id did so (D71)",
    without: "laterWrites",
    lines: "x",
    play({ one, other, at, later }) {
      one.outline.setCompleted(at("x"), true);
      later();
      other.outline.setCompleted(at("x"), true);
    },
    shows: (outline, at) =>
      (outline.node(at("x"))?.completedAt ?? 0) * 1000 < outline.now() - 150_000,
    wanted: true,
  },
  {
    what: "a shortcut leads to where the greater client id pointed it (D70)",
    without: "laterWrites",
    lines: "x y",
    play({ one, other, at, later }) {
      other.outline.setShortcut("work", at("x"));
      later();
      one.outline.setShortcut("work", at("y"));
    },
    shows: (outline, at) => outline.shortcutNode("work") === at("y"),
    wanted: true,
  },
  {
    what: "a setting is as the greater client id set it (D70)",
    without: "laterWrites",
    lines: "x",
    play({ one, other, later }) {
      other.outline.configure({ weekStart: 3 });
      later();
      one.outline.configure({ weekStart: 0 });
    },
    shows: (outline) => outline.settings().weekStart,
    wanted: 0,
  },
  {
    what: "the trash has what the greater client id put there (D70)",
    without: "deletions",
    lines: "x y",
    play({ one, other, at, later, meet }) {
      one.outline.trash(at("x"), one.seen);
      meet();
      other.outline.restore(at("x"));
      other.outline.trash(at("x"), other.seen);
      later();
      one.outline.restore(at("x"));
    },
    shows: lines,
    wanted: "x y",
  },
  {
    what: "what is deleted for good is in the trash of who had trashed it (D72)",
    without: "deletions",
    lines: "x y",
    play({ server, one, at }) {
      server.remove(at("x"));
      one.outline.trash(at("x"), one.seen);
    },
    shows: linesAndTrash,
    wanted: "y | ",
  },
  {
    what: "what is written again under a key that was deleted for good is back (D111)",
    without: "deletions",
    lines: "x y",
    play({ server, one, at, meet }) {
      server.remove(at("x"));
      meet();
      one.doc.transact(() => {
        const place = textOf(nodesOf(one.doc), at("y"))?.getAttribute("p");
        const text = new Y.Text("again");
        nodesOf(one.doc).set(at("x"), text);
        text.setAttribute("p", place);
      });
      meet();
    },
    shows: linesAndTrash,
    wanted: "y | again",
  },
  {
    what: "a node is where the greater client id moved it (D21)",
    without: "laterMoves",
    lines: "x y z",
    play({ one, other, at, later }) {
      other.outline.move(at("x"), { parent: at("y") });
      later();
      one.outline.move(at("x"), { parent: at("z") });
    },
    shows: lines,
    wanted: "y z(x)",
  },
  {
    what: "what two do alike is done twice (D80)",
    without: "doneTwice",
    lines: "Kotte",
    play({ one, other, at }) {
      for (const { outline } of [one, other]) outline.update(at("Kotte"), { name: "Kotti" });
    },
    shows: lines,
    wanted: "Kotti",
  },
  {
    what: "a line that two split at one place is split twice (D82)",
    without: "doneTwice",
    lines: "onetwo",
    play({ one, other, at }) {
      const key = at("onetwo");
      for (const { outline, doc } of [one, other]) {
        doc.transact(() => splitNode(outline, key, 3, { parent: ROOT, position: { after: key } }));
      }
    },
    shows: lines,
    wanted: "one two",
  },
  {
    what: "a word that two write anew is put together of both (D83)",
    without: "mendWords",
    lines: "Tuesday",
    play({ one, other, at }) {
      one.outline.update(at("Tuesday"), { name: "Wednesday" });
      other.outline.update(at("Tuesday"), { name: "Thursday" });
    },
    shows: (outline) => shape(outline).split(" ").toSorted(),
    wanted: ["Thursday", "Wednesday"],
  },
  {
    what: "what is added below a deleted node is gone with it (D32)",
    without: "rescue",
    lines: "x y",
    play({ server, one, at }) {
      plant(one.outline, "new", at("x"));
      server.remove(at("x"));
    },
    shows: lines,
    wanted: "new y",
  },
  {
    what: "what was added below a deleted node stays outside when that is restored (D92)",
    without: "returns",
    lines: "x y",
    play({ one, other, at, meet }) {
      plant(one.outline, "new", at("x"));
      other.outline.trash(at("x"), other.seen);
      meet();
      // As a program without the rules takes a mark away.
      textOf(nodesOf(one.doc), at("x"))?.removeAttribute("d");
    },
    shows: lines,
    wanted: "x(new) y",
  },
  {
    what: "a move does not take a node out of the trash (D33)",
    without: "voidDeletions",
    lines: "x y",
    play({ one, other, at, later }) {
      one.outline.move(at("x"), { parent: at("y") });
      later();
      other.outline.trash(at("x"), other.seen);
    },
    shows: lines,
    wanted: "y(x)",
  },
  {
    what: "what is typed into a line that is deleted for good is nowhere (D90)",
    without: "keepText",
    lines: "x y",
    play({ server, one, at }) {
      one.outline.editText(at("x"), "name", (text) => text.insert(1, " more"));
      server.remove(at("x"));
    },
    shows: linesAndTrash,
    wanted: "y |  more",
  },
  {
    what: "what is typed into a mirror by a program that does not know mirrors is not seen (D124)",
    without: "unmirror",
    lines: "x y",
    play({ server, one, at, meet }) {
      const made = server.mirror(at("x"), { parent: at("y") });
      if (made.kind !== "created") throw new Error(made.kind);
      meet();
      textOf(nodesOf(one.doc), made.key)?.insert(0, "z");
    },
    shows: lines,
    wanted: "x y(z)",
  },
];

/** What the server and the devices show in the end, in both orders of arrival. */
function outcomes(mutant: Mutant, steps: Partial<RepairSteps>): unknown[] {
  const { play, shows } = mutant;
  return [false, true].flatMap((isReversed) => {
    const lab = new Lab(mutant.lines, 2, steps);
    const [one, other] = [lab.device(0), lab.device(1)];
    const at = (line: string): NodeKey => keyOf(lab.keys, line);
    const later = (): void => lab.clock.passSeconds(60);
    const meet = (): void => {
      later();
      lab.server.repair.run();
      for (const device of isReversed ? [other, one] : [one, other]) lab.push(device);
      lab.pullAll();
    };
    later();
    play({ server: lab.server.outline, one, other, at, meet, later });
    meet();
    meet();
    return [lab.server, one, other].map(({ outline }) => shows(outline, at));
  });
}

test.each(MUTANTS.map((mutant) => [mutant.what, mutant] as const))(
  "[D53] a mutant is found: %s",
  (_, mutant) => {
    const right = outcomes(mutant, ALL_REPAIR_STEPS);
    expect(right).toEqual(right.map(() => mutant.wanted));
    expect(outcomes(mutant, { ...ALL_REPAIR_STEPS, [mutant.without]: false })).not.toEqual(right);
  },
);
