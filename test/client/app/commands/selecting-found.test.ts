import { describe, expect, it } from "vitest";
import { copiedOf } from "../../../../client/app/clipboard/copied.ts";
import { selectRowsBetween } from "../../../../client/app/outline/focus/select-rows.ts";
import { shape } from "../../../support/outline-notation.ts";
import { openDesk } from "../../support/fake-workspace.ts";
import { focusIn } from "./focus-in.ts";

const NOTATION = "p(a x1(b) c) q(d(x2 e)) r";

/** A search that finds x1, of which b below it is not shown, and x2. */
async function searched() {
  const desk = await openDesk(NOTATION);
  desk.workspace.rows.search("x");
  const run = (id: string): boolean => desk.workspace.commands.run(id);
  return { desk, run, tree: (): string => shape(desk.replica.outline) };
}

describe("selecting what a search has found", () => {
  it("[W433] everything is what was found, each with all below it", async () => {
    const { desk } = await searched();
    desk.workspace.focus.caret(desk.key("p"), "end");
    for (let times = 0; times < 3; times++) desk.workspace.commands.run("select.all");
    expect(focusIn(desk)).toBe("[x1 x2]");
    expect(desk.notices.announced.at(-1)).toBe("2 selected");
  });

  it("[W433] deleting and cutting leave what is not shown, and undo has one step", async () => {
    const { run, tree, desk } = await searched();
    desk.workspace.focus.caret(desk.key("x1"), "end");
    for (let times = 0; times < 3; times++) run("select.all");
    run("node.deleteSelected");
    expect(tree()).toBe("p(a c) q(d(e)) r");
    expect(desk.notices.shown.get().at(-1)?.text).toBe("Deleted 3 lines");
    run("history.undo");
    expect(tree()).toBe(NOTATION);
  });

  it("[W433] behind a deletion the caret is in a context line that is left", async () => {
    const desk = await openDesk("x1 p(a x2)");
    desk.workspace.rows.search("x");
    selectRowsBetween(desk.workspace, desk.key("x1"), desk.key("p"));
    desk.workspace.commands.run("node.deleteSelected");
    expect(focusIn(desk)).toBe("p@1");
  });

  it("[W433] keys and pointer go over context lines and select what is below them", async () => {
    const { desk, run } = await searched();
    const { focus } = desk.workspace;
    focus.caret(desk.key("p"), "end");
    run("select.down");
    expect(focusIn(desk)).toBe("[x1]");
    run("select.down");
    expect(focusIn(desk)).toBe("[x1 x2]");
    run("select.up");
    expect(focusIn(desk)).toBe("[x1]");
    focus.caret(desk.key("x2"), "end");
    run("select.down");
    run("select.down");
    expect(focusIn(desk)).toBe("[x2]");
    selectRowsBetween(desk.workspace, desk.key("q"), desk.key("x1"));
    expect(focusIn(desk)).toBe("[x1 x2]");
  });

  it("[W433] what a closed context line hides is not selected", async () => {
    const { desk, run } = await searched();
    desk.workspace.rows.setCollapsed([desk.key("q")], true);
    desk.workspace.focus.caret(desk.key("q"), "end");
    run("select.down");
    expect(focusIn(desk)).toBe("q@1");
    selectRowsBetween(desk.workspace, desk.key("q"), desk.key("p"));
    expect(focusIn(desk)).toBe("[x1]");
  });

  it("[W433] completing and copying are of what was found", async () => {
    const { desk, run } = await searched();
    selectRowsBetween(desk.workspace, desk.key("p"), desk.key("q"));
    expect(copiedOf(desk.workspace)?.get("text/plain")).toBe("- x1\n  - b\n- x2");
    run("node.complete");
    const { outline } = desk.replica;
    const done = "p a x1 b c q d x2 e r"
      .split(" ")
      .filter((name) => outline.node(desk.key(name))?.completedAt !== null);
    expect(done).toEqual(["x1", "x2"]);
  });

  it("[W433] lines of several lists keep their places among others, which is said", async () => {
    const commands = ["indent", "outdent", "moveUp", "moveDown", "duplicate"];
    for (const command of commands) {
      const { desk, run, tree } = await searched();
      selectRowsBetween(desk.workspace, desk.key("p"), desk.key("q"));
      run(`node.${command}`);
      expect(tree()).toBe(NOTATION);
      expect(desk.notices.shown.get()).toHaveLength(1);
    }
  });

  it("[W433] a context line with the caret in it is a line like any other", async () => {
    const { desk, run, tree } = await searched();
    desk.workspace.focus.caret(desk.key("p"), "end");
    run("node.delete");
    expect(tree()).toBe("q(d(x2 e)) r");
  });
});
