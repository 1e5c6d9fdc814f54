import { expect, it } from "vitest";
import { SORT_COMMANDS } from "../../../../client/app/commands/sort-commands.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { openDesk } from "../../support/fake-workspace.ts";

async function openList() {
  const desk = await openDesk("top(a b c d) other");
  const { workspace, replica, key } = desk;
  workspace.commands.add(SORT_COMMANDS);
  const texts = {
    a: "item 10 [2026-12-24]",
    b: "Éclair",
    c: "item 9 [2025-01-02]",
    d: "date [2026-01-01]",
  };
  for (const [name, text] of Object.entries(texts))
    replica.outline.update(key(name), { name: text });
  const names = new Map(["a", "b", "c", "d", "top", "other"].map((name) => [key(name), name]));
  return {
    ...desk,
    order: (parent = key("top")) =>
      replica.outline
        .childKeys(parent)
        .map((each) => names.get(each))
        .join(" "),
  };
}

it("[W296] by name as people read it, and the same once more turns it round", async () => {
  const { workspace, notices, key, order } = await openList();
  workspace.focus.caret(key("top"), "start");
  expect(workspace.commands.run("node.sortByName")).toBe(true);
  expect(order()).toBe("d b c a");
  workspace.commands.run("node.sortByName");
  expect(order()).toBe("a c b d");
  expect(notices.shown.get().map(({ text }) => text)).toEqual([
    "Sorted 4 lines of “top” by name",
    "Sorted 4 lines of “top” by name, the last first",
  ]);
  notices.shown.get().at(-1)?.action?.run();
  expect(order()).toBe("d b c a");
});

it("[W296] by date, those without one last; a line with nothing below sorts its own list", async () => {
  const { workspace, key, order } = await openList();
  workspace.focus.caret(key("b"), "start");
  workspace.commands.run("node.sortByDate");
  expect(order()).toBe("c d a b");
  workspace.commands.run("node.sortByDate");
  expect(order()).toBe("a d c b");
  workspace.replica.history.undo();
  workspace.replica.history.undo();
  expect(order()).toBe("a b c d");
});

it("[W296] open lines first, each kind as it stood; without a line what is looked at", async () => {
  const { workspace, replica, key, order } = await openList();
  replica.edits.complete([key("a"), key("c")], true);
  workspace.focus.selectNodes([key("a"), key("b")], key("a"), key("b"));
  workspace.commands.run("node.sortByCompletion");
  expect(order()).toBe("b d a c");
  workspace.commands.run("node.sortByCompletion");
  expect(order()).toBe("a c b d");
  workspace.focus.clear();
  workspace.commands.run("node.sortByName");
  expect(order(ROOT)).toBe("other top");
});

it("[W296] undo of the notice puts back what is still there when something else was done since", async () => {
  const { workspace, replica, notices, key, order } = await openList();
  workspace.focus.caret(key("top"), "start");
  workspace.commands.run("node.sortByName");
  replica.edits.trash([key("b")]);
  notices.shown.get()[0]?.action?.run();
  expect(order()).toBe("a c d");
});
