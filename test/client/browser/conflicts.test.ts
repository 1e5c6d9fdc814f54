import { ok } from "node:assert/strict";
import { beforeAll, describe, expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { eventually, SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** What two devices do while they know nothing of each other. */
interface Conflict {
  readonly what: string;
  /** Indented by two spaces a level; names are unique. */
  readonly start: readonly string[];
  readonly anna: (device: Device, keys: ReadonlyMap<string, string>) => Promise<void>;
  readonly ben: (device: Device, keys: ReadonlyMap<string, string>) => Promise<void>;
  /** One of these, on both devices and the server. */
  readonly outcomes: readonly (readonly string[])[];
}

/** Puts the caret into a row by its name and presses keys. */
function inRow(name: string, ...presses: readonly string[]) {
  return async (device: Device, keys: ReadonlyMap<string, string>): Promise<void> => {
    await device.focus(keys.get(name) ?? name);
    await device.press(...presses);
  };
}

function typeInto(name: string, place: "Home" | "End", text: string) {
  return async (device: Device, keys: ReadonlyMap<string, string>): Promise<void> => {
    await device.focus(keys.get(name) ?? name, place);
    await device.type(text);
  };
}

const DELETE = "Control+Shift+Backspace";

const CONFLICTS: readonly Conflict[] = [
  {
    what: "one line moved to two places: it is at one of them",
    start: ["a", "b", "c"],
    anna: inRow("b", "Tab"),
    ben: inRow("b", "Alt+Shift+ArrowDown"),
    outcomes: [
      ["a", "  b", "c"],
      ["a", "c", "b"],
    ],
  },
  {
    what: "two lines moved below each other: no ring, and both are there",
    start: ["a", "b", "c"],
    anna: inRow("b", "Tab"),
    ben: async (device, keys) => {
      // Below b, behind it: first down, then in.
      await inRow("a", "Alt+Shift+ArrowDown", "Tab")(device, keys);
    },
    outcomes: [
      ["a", "  b", "c"],
      ["b", "  a", "c"],
    ],
  },
  {
    what: "deleted against edited: a text edit alone does not revive",
    start: ["a", "b"],
    anna: inRow("b", DELETE),
    ben: typeInto("b", "End", " edited"),
    outcomes: [["a"]],
  },
  {
    what: "a parent deleted against a move into it: what was moved lives on",
    start: ["a", "b", "c"],
    anna: inRow("a", DELETE),
    ben: inRow("b", "Tab"),
    outcomes: [["b", "c"]],
  },
  {
    what: "a parent deleted against a move out of it: what was moved lives on",
    start: ["a", "  b", "c"],
    anna: inRow("a", DELETE),
    ben: inRow("b", "Shift+Tab"),
    outcomes: [["b", "c"]],
  },
  {
    what: "split against append: every character is there once",
    start: ["left right"],
    anna: async (device, keys) => {
      await device.focus(keys.get("left right") ?? "", "Home");
      for (let count = 0; count < "left".length; count++) await device.press("ArrowRight");
      await device.press("Delete", "Enter");
    },
    ben: typeInto("left right", "End", " more"),
    outcomes: [
      ["left more", "right"],
      ["left", "right more"],
    ],
  },
  {
    what: "two joins and a split around each other",
    start: ["a", "b", "c"],
    anna: async (device, keys) => {
      await device.focus(keys.get("b") ?? "", "Home");
      await device.press("Backspace");
    },
    ben: typeInto("c", "End", "!"),
    outcomes: [["ab", "c!"]],
  },
  {
    what: "new lines at the same place stand in blocks",
    start: ["a", "z"],
    anna: async (device, keys) => {
      await device.focus(keys.get("a") ?? "");
      for (const name of ["a1", "a2", "a3"]) {
        await device.press("Enter");
        await device.type(name);
      }
    },
    ben: async (device, keys) => {
      await device.focus(keys.get("a") ?? "");
      for (const name of ["b1", "b2", "b3"]) {
        await device.press("Enter");
        await device.type(name);
      }
    },
    outcomes: [
      ["a", "a1", "a2", "a3", "b1", "b2", "b3", "z"],
      ["a", "b1", "b2", "b3", "a1", "a2", "a3", "z"],
    ],
  },
];

/** What is below each line of the top level. */
function branchesOf(sketch: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const branches = new Map<string, string[]>();
  let branch: string[] = [];
  for (const line of sketch) {
    if (line.startsWith("  ")) branch.push(line.slice(2));
    else branches.set(line, (branch = []));
  }
  return branches;
}

function isAsWanted({ what, outcomes }: Conflict, sketch: readonly string[]): boolean {
  const branch = JSON.stringify(branchesOf(sketch).get(what));
  return outcomes.some((outcome) => JSON.stringify(outcome) === branch);
}

/** Tall enough for all lines to be in the page. */
const TALL = { viewport: { width: 1280, height: 2000 } };

describe("what two devices do apart", () => {
  let outcome: readonly string[] = [];

  /** Each conflict below a line of its own: to open two devices takes longer than all of them. */
  beforeAll(async () => {
    const key = await stage.person();
    const planted: { conflict: Conflict; keys: ReadonlyMap<string, string> }[] = [];
    for (const conflict of CONFLICTS) {
      const root = await stage.server.create(conflict.what, undefined, key);
      planted.push({ conflict, keys: await stage.server.plant(conflict.start, key, root) });
    }
    const start = await stage.server.sketch(key);
    const open = (): Promise<Device> => stage.device(key, { context: TALL });
    const [first, second] = await Promise.all([open(), open()]);
    for (const device of [first, second]) {
      await device.shows(start);
      await device.reaches("saved");
      await device.network.refuse();
    }
    const actAll = async (who: "anna" | "ben", device: Device): Promise<void> => {
      for (const { conflict, keys } of planted) await conflict[who](device, keys);
      await device.reaches("local");
    };
    await Promise.all([actAll("anna", first), actAll("ben", second)]);

    await first.network.pass();
    await first.reaches("saved");
    await second.network.pass();
    await second.reaches("saved");
    await eventually(
      () => stage.server.sketch(key),
      (sketch) => {
        outcome = sketch;
        ok(CONFLICTS.every((conflict) => isAsWanted(conflict, sketch)));
      },
    ).catch(() => undefined);
    await first.shows(outcome);
    await second.shows(outcome);
  });

  test.each(CONFLICTS)("$what", (conflict) => {
    expect(outcome).toSatisfy((sketch: readonly string[]) => isAsWanted(conflict, sketch));
  });

  test("completed against reopened: all see the same, and the text of both", async () => {
    const key = await stage.person();
    const { server } = stage;
    const task = await server.create("task", undefined, key, { completed: true });
    const [first, second] = await Promise.all([stage.device(key), stage.device(key)]);
    for (const device of [first, second]) {
      await device.shows(["task"]);
      await device.reaches("saved");
      await device.network.refuse();
    }
    await first.focus(task);
    await first.press("Control+Enter");
    await first.type(" reopened");
    // Reopened and completed again, at another time.
    await second.focus(task, "Home");
    await second.press("Control+Enter", "Control+Enter");
    await second.type("the ");
    for (const device of [first, second]) {
      await device.network.pass();
      await device.reaches("saved");
    }
    for (const device of [first, second]) await device.shows(["the task reopened"]);
    const done = async (device: Device) => (await device.rows())[0]?.isCompleted;
    const [node] = await server.everything(key);
    await expect.poll(() => done(first), SOON).toBe(node?.completed);
    await expect.poll(() => done(second), SOON).toBe(node?.completed);
  });
});
