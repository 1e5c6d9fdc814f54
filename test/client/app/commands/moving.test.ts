import { describe, expect, it } from "vitest";
import { ROOT } from "../../../../src/core/node-key.ts";
import { shape } from "../../../support/outline-notation.ts";
import { openDesk } from "../../support/fake-workspace.ts";
import { focusIn } from "./focus-in.ts";

/** Runs commands on a node with the caret, or on several that are selected. */
async function move(notation: string, names: string, ...commands: readonly string[]) {
  const desk = await openDesk(notation);
  const keys = names.split(" ").map((name) => desk.key(name));
  const [first = ROOT] = keys;
  if (keys.length === 1) desk.workspace.focus.caret(first, "end");
  else desk.workspace.focus.selectNodes(keys, first, keys.at(-1) ?? first);
  for (const id of commands) desk.workspace.commands.run(id);
  return { desk, tree: shape(desk.replica.outline), focus: focusIn(desk) };
}

describe("Tab and Shift+Tab", () => {
  it("[W41] put lines below the one above, or behind what they are in, with the focus they have", async () => {
    expect(await outcome(move("a b", "b", "node.indent"))).toEqual(["a(b)", "b@1"]);
    expect(await outcome(move("a(x) b c d", "b c", "node.indent"))).toEqual([
      "a(x b c) d",
      "[b c]",
    ]);
    expect(await outcome(move("a(b c d)", "b c", "node.outdent"))).toEqual(["a(d) b c", "[b c]"]);
    expect((await move("a", "a", "node.indent", "node.outdent")).tree).toBe("a");
  });

  it("[W41] open the line that is indented into, and stay in what is zoomed into", async () => {
    const desk = await openDesk("a(b) c");
    desk.workspace.rows.setCollapsed([desk.key("a")], true);
    desk.workspace.focus.caret(desk.key("c"), 0);
    desk.workspace.commands.run("node.indent");
    expect(desk.workspace.rows.isCollapsed(desk.key("a"))).toBe(false);
    desk.workspace.rows.zoomTo(desk.key("a"));
    desk.workspace.focus.caret(desk.key("c"), 0);
    desk.workspace.commands.run("node.outdent");
    expect(shape(desk.replica.outline)).toBe("a(b c)");
  });
});

describe("moving up and down", () => {
  it("[W42] steps over siblings with all below them", async () => {
    expect((await move("a b(x) c", "c", "node.moveUp")).tree).toBe("a c b(x)");
    expect((await move("a b(x) c", "a", "node.moveDown")).tree).toBe("b(x) a c");
    expect((await move("a b c d", "b c", "node.moveDown")).tree).toBe("a d b c");
  });

  it("[W42] at the edge goes into the neighbouring parent, and out where there is none", async () => {
    expect((await move("a(x) b(y z)", "y", "node.moveUp")).tree).toBe("a(x y) b(z)");
    expect((await move("a(x y) b(z)", "y", "node.moveDown")).tree).toBe("a(x) b(y z)");
    expect((await move("a(x y)", "x", "node.moveUp")).tree).toBe("x a(y)");
    expect((await move("a(x y)", "y", "node.moveDown")).tree).toBe("a(x) y");
    const { desk, tree } = await move("a b", "a", "node.moveUp");
    expect(tree).toBe("a b");
    expect(desk.notices.announced).toEqual(["At the top"]);
  });

  it("[W42] opens a collapsed parent that is moved into", async () => {
    const desk = await openDesk("a(x) b(y)");
    desk.workspace.rows.setCollapsed([desk.key("a")], true);
    desk.workspace.focus.caret(desk.key("y"), 1);
    desk.workspace.commands.run("node.moveUp");
    expect(shape(desk.replica.outline)).toBe("a(x y) b");
    expect(desk.workspace.rows.indexOf(desk.key("y"))).toBe(2);
  });

  it("[W42] move-to asks in its dialog", async () => {
    const { desk } = await move("a b", "a b", "node.moveTo");
    expect(desk.workspace.dialog.get()).toEqual({
      kind: "move",
      ids: [desk.key("a"), desk.key("b")],
    });
  });
});

describe("looking", () => {
  it("[W48] zooming takes the caret along", async () => {
    const desk = await openDesk("a(b(c))");
    const { rows, focus, commands } = desk.workspace;
    focus.caret(desk.key("b"), 0);
    commands.run("view.zoomIn");
    expect([rows.zoom.get(), focusIn(desk)]).toEqual([desk.key("b"), "b@0"]);
    commands.run("view.zoomOut");
    expect([rows.zoom.get(), focusIn(desk)]).toEqual([desk.key("a"), "b@0"]);
    commands.run("view.home");
    expect([rows.zoom.get(), focusIn(desk)]).toEqual([ROOT, "b@0"]);
  });

  it("[W48] collapse and expand have keys of their own, and commands for everything", async () => {
    const desk = await openDesk("a(b(c)) d(e)");
    const { rows, focus, commands } = desk.workspace;
    const count = (): number => rows.rows.get().length;
    focus.caret(desk.key("a"), 0);
    commands.run("node.collapse");
    commands.run("node.collapse");
    expect(count()).toBe(3);
    commands.run("node.expand");
    expect(count()).toBe(5);
    focus.caret(desk.key("c"), 0);
    commands.run("view.collapseAll");
    expect([count(), focusIn(desk)]).toEqual([2, "a@1"]);
    commands.run("view.expandAll");
    expect(count()).toBe(5);
    focus.selectNodes([desk.key("c")], desk.key("c"), desk.key("c"));
    commands.run("view.collapseAll");
    expect(focusIn(desk)).toBe("a@1");
  });
});

describe("selecting", () => {
  it("[W49] climbs from the text to the line to all that is looked at", async () => {
    const desk = await openDesk("abc(d) e");
    const { focus, commands } = desk.workspace;
    focus.caret(desk.key("abc"), 1);
    const steps = [1, 2, 3, 4].map(() => {
      commands.run("select.all");
      return focusIn(desk);
    });
    expect(steps).toEqual(["abc@0-3", "[abc]", "[abc e]", "[abc e]"]);
    // The line that it began in stays in sight, and is gone back to.
    commands.run("select.none");
    expect(focusIn(desk)).toBe("abc@3");
  });

  it("[W50] grows and shrinks by siblings, and past the last one takes the parent", async () => {
    const desk = await openDesk("a(b c(x) d) e");
    const { focus, commands } = desk.workspace;
    focus.caret(desk.key("b"), 0);
    const steps = ["down", "down", "down", "up", "down", "down"].map((way) => {
      commands.run(`select.${way}`);
      return focusIn(desk);
    });
    expect(steps).toEqual(["[b]", "[b c]", "[b c d]", "[b c]", "[b c d]", "[a]"]);
    commands.run("node.deleteSelected");
    expect(shape(desk.replica.outline)).toBe("e");
  });
});

async function outcome(done: ReturnType<typeof move>): Promise<readonly string[]> {
  const { tree, focus } = await done;
  return [tree, focus];
}
