import { describe, expect, it } from "vitest";
import { INBOX, ROOT } from "../../../../../src/core/node-key.ts";
import { createWorkspace } from "../../../../../client/app/state/create-workspace.ts";
import { factsOf } from "../../../../../client/app/outline/rows/node-facts.ts";
import { type Desk, fakeParts, MemoryPlace, openDesk } from "../../../support/fake-workspace.ts";

/** Each row as `depth name`, with `+` collapsed, `-` expanded, `?` context of a search. */
function rowsIn({ workspace, replica }: Desk): string {
  return workspace.rows.rows
    .get()
    .map(({ key, depth, hasChildren, isExpanded, isContext }) => {
      const mark = hasChildren ? (isExpanded ? "-" : "+") : "";
      const name = replica.edits.text(key, "name")?.toJSON() ?? "";
      return `${depth}${name}${mark}${isContext ? "?" : ""}`;
    })
    .join(" ");
}

describe("rows", () => {
  it("[W30] are what is below the zoomed node, in document order, as far as it is expanded", async () => {
    const desk = await openDesk("a(b(c d) e) f");
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 2d 1e 0f");
    desk.workspace.rows.setCollapsed([desk.key("b")], true);
    expect(rowsIn(desk)).toBe("0a- 1b+ 1e 0f");
    desk.workspace.rows.zoomTo(desk.key("a"));
    expect(rowsIn(desk)).toBe("0b+ 0e");
    desk.workspace.rows.setCollapsed([desk.key("b")], false);
    expect(rowsIn(desk)).toBe("0b- 1c 1d 0e");
    expect(desk.workspace.rows.indexOf(desk.key("e"))).toBe(3);
    expect(desk.workspace.rows.indexOf(desk.key("f"))).toBe(-1);
  });

  it("[W30] keep the row objects of what has not changed", async () => {
    const desk = await openDesk("a(b c) d");
    const before = desk.workspace.rows.rows.get();
    desk.replica.edits.create({ parent: desk.key("a"), position: "bottom", name: "x" });
    const after = desk.workspace.rows.rows.get();
    expect(after.map((row) => before.includes(row))).toEqual([true, true, true, false, true]);
  });

  it("[W32] zoom has an address, and a way back", async () => {
    const desk = await openDesk("a(b(c)) d");
    desk.workspace.rows.zoomTo(desk.key("a"));
    desk.workspace.rows.zoomTo(desk.key("b"));
    expect(desk.place.read()).toBe(desk.key("b"));
    desk.place.back();
    expect(desk.workspace.rows.zoom.get()).toBe(desk.key("a"));
    expect(rowsIn(desk)).toBe("0b- 1c");
    desk.place.back();
    expect(desk.workspace.rows.zoom.get()).toBe(ROOT);
  });

  it("[W32] a zoomed node that is deleted is left for what is left above it", async () => {
    const desk = await openDesk("a(b(c))");
    desk.workspace.rows.zoomTo(desk.key("c"));
    desk.replica.edits.trash([desk.key("b")]);
    expect(desk.workspace.rows.zoom.get()).toBe(desk.key("a"));
    expect(desk.place.read()).toBe(desk.key("a"));
  });

  it("[W32] an address of a node that is not there yet is gone to when it comes", async () => {
    const desk = await openDesk("a");
    desk.place.go(INBOX, false);
    const place = desk.place;
    const workspace = await createWorkspace({ ...fakeParts(desk.replica), place, isMac: false });
    expect(workspace.rows.zoom.get()).toBe(ROOT);
    desk.replica.edits.create({ parent: INBOX, name: "x" });
    expect(workspace.rows.zoom.get()).toBe(INBOX);
  });

  it("[W221] a mirror shows its origin's line, and zooming into it leads to that", async () => {
    const desk = await openDesk("a(b) c");
    const { workspace, replica } = desk;
    workspace.focus.caret(desk.key("a"), "end");
    workspace.commands.run("node.mirror");
    expect(rowsIn(desk)).toBe("0a- 1b 0a- 1b 0c");
    const mirror = replica.outline.childKeys(ROOT)[1] ?? ROOT;
    replica.edits.layout([mirror], "todo");
    replica.edits.complete([mirror], true);
    const facts = { layout: "todo", isCompleted: true, hasNote: false };
    expect(factsOf(replica.outline, mirror)).toEqual({ ...facts, isMirror: true });
    expect(factsOf(replica.outline, desk.key("a"))).toEqual({ ...facts, isMirror: false });
    workspace.rows.zoomTo(mirror);
    expect([workspace.rows.zoom.get(), desk.place.read()]).toEqual([desk.key("a"), desk.key("a")]);
    workspace.rows.zoomTo(ROOT);
    workspace.focus.caret(mirror, "end");
    workspace.commands.run("node.delete");
    expect(rowsIn(desk)).toBe("0a- 1b 0c");
  });

  it("[W33] folds stay on the device and are no step of the history", async () => {
    const desk = await openDesk("a(b) c(d)");
    desk.workspace.rows.setCollapsed([desk.key("a")], true);
    expect(desk.replica.history.canUndo).toBe(false);
    const again = await createWorkspace({
      ...fakeParts(desk.replica),
      place: new MemoryPlace(),
      isMac: false,
    });
    expect(again.rows.isCollapsed(desk.key("a"))).toBe(true);
    expect(again.rows.rows.get().map(({ key }) => key)).toEqual(
      ["a", "c", "d"].map((name) => desk.key(name)),
    );
  });

  it("[W34] completed nodes can be hidden, with all below them", async () => {
    const desk = await openDesk("a(b(c) d) e");
    const { preferences, rows } = desk.workspace;
    desk.replica.edits.complete([desk.key("b")], true);
    preferences.hidesCompleted.set(true);
    expect(rowsIn(desk)).toBe("0a- 1d 0e");
    desk.replica.edits.complete([desk.key("d")], true);
    expect(rowsIn(desk)).toBe("0a 0e");
    rows.reveal(desk.key("c"));
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 0e");
    preferences.hidesCompleted.set(false);
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 1d 0e");
  });

  it("[W35] a search shows its matches, with what they are in as context", async () => {
    const desk = await openDesk("a(x1 b(c(x2)) d) e");
    desk.workspace.rows.setCollapsed([desk.key("b")], true);
    desk.workspace.rows.search("x1");
    expect(rowsIn(desk)).toBe("0a-? 1x1");
    desk.workspace.rows.search("x2");
    expect(rowsIn(desk)).toBe("0a-? 1b-? 2c-? 3x2");
    desk.workspace.rows.search(" ");
    expect(rowsIn(desk)).toBe("0a- 1x1 1b+ 1d 0e");
  });

  it("[W35] what is opened, closed and written in a search concerns the search alone", async () => {
    const desk = await openDesk("a(b(x c) d)");
    const { rows } = desk.workspace;
    rows.search("x");
    rows.setCollapsed([desk.key("b")], true);
    expect(rowsIn(desk)).toBe("0a-? 1b+?");
    rows.setCollapsed([desk.key("b")], false);
    expect(rowsIn(desk)).toBe("0a-? 1b-? 2x 2c");
    desk.replica.edits.create({ parent: desk.key("a"), position: "bottom", name: "new" });
    expect(rowsIn(desk)).toBe("0a-? 1b-? 2x 2c 1new");
    rows.zoomTo(desk.key("b"));
    expect(rows.query.get()).toBe("");
    expect(rowsIn(desk)).toBe("0x 0c");
  });

  it("[W35] lines below what is opened in a search are opened and closed, and hide nothing found", async () => {
    const desk = await openDesk("a(b(c(x) d) e(f))");
    const { rows } = desk.workspace;
    rows.setCollapsed([desk.key("c"), desk.key("e")], true);
    rows.search("x");
    rows.setCollapsed([desk.key("a")], true);
    rows.setCollapsed([desk.key("a")], false);
    expect(rowsIn(desk)).toBe("0a-? 1b- 2c- 3x 2d 1e+");
    rows.setCollapsed([desk.key("b")], true);
    rows.setCollapsed([desk.key("e")], false);
    expect(rowsIn(desk)).toBe("0a-? 1b+ 1e- 2f");
    rows.search("");
    expect(rowsIn(desk)).toBe("0a- 1b- 2c+ 2d 1e+");
  });

  it("[W35] a line that was joined with what was found stays in sight", async () => {
    for (const [name, at, command] of [
      ["b", 1, "node.mergeDown"],
      ["x", 0, "node.mergeUp"],
    ] as const) {
      const desk = await openDesk("a(b(x)) c");
      desk.workspace.rows.search("x");
      desk.workspace.focus.caret(desk.key(name), at);
      desk.workspace.commands.run(command);
      expect(rowsIn(desk)).toBe("0a-? 1bx");
    }
  });

  it("[W230] a search is a place: back from it, from its results and to it again", async () => {
    const desk = await openDesk("a(x1 b(x2)) c");
    const { rows } = desk.workspace;
    rows.search("x");
    rows.search("x2");
    expect([desk.place.read(), desk.place.query()]).toEqual([ROOT, "x2"]);
    expect(rows.found.get()).toBe(1);
    rows.zoomTo(desk.key("b"));
    expect([desk.place.query(), rows.query.get(), rows.found.get()]).toEqual(["", "", undefined]);
    desk.place.back();
    expect([rows.zoom.get(), rows.query.get(), rowsIn(desk)]).toEqual([
      ROOT,
      "x2",
      "0a-? 1b-? 2x2",
    ]);
    // The letters on the way were no places.
    desk.place.back();
    expect([rows.query.get(), rowsIn(desk)]).toEqual(["", "0a- 1x1 1b- 2x2 0c"]);
  });

  it("[W230] an address with a search shows what it finds from the start", async () => {
    const desk = await openDesk("a(x1 b(x2)) c");
    desk.place.go(desk.key("a"), false, "x2");
    const { place } = desk;
    const workspace = await createWorkspace({ ...fakeParts(desk.replica), place, isMac: false });
    expect([workspace.rows.zoom.get(), workspace.rows.query.get()]).toEqual([desk.key("a"), "x2"]);
    expect(workspace.rows.rows.get()).toHaveLength(2);
  });

  it("[W300] what is looked for before the search is there is found as soon as it is", async () => {
    const desk = await openDesk("a(x1) c");
    const { find: _, ...parts } = fakeParts(desk.replica);
    const place = new MemoryPlace();
    const { rows } = await createWorkspace({ ...parts, place, isMac: false });
    rows.search("x1");
    expect([rows.found.get(), rows.rows.get().length]).toEqual([undefined, 3]);
    await expect.poll(() => rows.found.get()).toBe(1);
    expect(rows.rows.get()).toHaveLength(2);
    // The address of a search waits for it.
    const again = await createWorkspace({ ...parts, place, isMac: false });
    expect([again.rows.found.get(), again.rows.rows.get().length]).toEqual([1, 2]);
  });

  it("[W230] ending a search and choosing another one are steps too", async () => {
    const desk = await openDesk("x y");
    const { rows } = desk.workspace;
    rows.search("x");
    rows.search("y", true);
    rows.search("");
    desk.place.back();
    expect(rows.query.get()).toBe("y");
    desk.place.back();
    expect(rows.query.get()).toBe("x");
    expect(rows.found.get()).toBe(1);
  });

  it("[W35] what moves, goes and comes back in a search keeps its place in the outline", async () => {
    const desk = await openDesk("a(x1 x2 x3) b(x4) c");
    const { edits, history } = desk.replica;
    const { rows } = desk.workspace;
    rows.search("x");
    edits.move([desk.key("x1")], { parent: desk.key("a"), position: { after: desk.key("x2") } });
    expect(rowsIn(desk)).toBe("0a-? 1x2 1x1 1x3 0b-? 1x4");
    edits.move([desk.key("x3")], { parent: desk.key("c"), position: "top" });
    expect(rowsIn(desk)).toBe("0a-? 1x2 1x1 0b-? 1x4 0c-? 1x3");
    edits.trash([desk.key("a")]);
    expect(rowsIn(desk)).toBe("0b-? 1x4 0c-? 1x3");
    history.undo();
    edits.create({ parent: desk.key("b"), position: "top", name: "new" });
    expect(rowsIn(desk)).toBe("0a- 1x2 1x1 0b-? 1new 1x4 0c-? 1x3");
    history.undo();
    expect(rowsIn(desk)).toBe("0a- 1x2 1x1 0b-? 1x4 0c-? 1x3");
  });

  it("[W35] a longer query that finds the same changes no row", async () => {
    const desk = await openDesk("a(x1 b(c)) d");
    const { rows } = desk.workspace;
    rows.search("x");
    const before = rows.rows.get();
    rows.search("x1");
    expect(rows.rows.get()).toBe(before);
    rows.search("");
    expect(rowsIn(desk)).toBe("0a- 1x1 1b- 2c 0d");
  });

  it("[W36] a node is brought into sight by opening what it is in, and by zooming out", async () => {
    const desk = await openDesk("a(b(c)) d(e(f))");
    const { rows } = desk.workspace;
    rows.setCollapsed([desk.key("a"), desk.key("b"), desk.key("e")], true);
    rows.zoomTo(desk.key("e"));
    rows.reveal(desk.key("c"));
    expect(rows.zoom.get()).toBe(ROOT);
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 0d- 1e+");
  });
});
