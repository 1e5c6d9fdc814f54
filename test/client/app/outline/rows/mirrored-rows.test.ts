import { describe, expect, it } from "vitest";
import { paste } from "../../../../../client/app/clipboard/paste.ts";
import {
  besideRow,
  keyOf,
  type RowId,
  viaOf,
} from "../../../../../client/app/outline/rows/row-id.ts";
import { createWorkspace } from "../../../../../client/app/state/create-workspace.ts";
import { type NodeKey, ROOT } from "../../../../../src/core/node-key.ts";
import { hrefOfNode } from "../../../../../src/core/text/node-link.ts";
import { integerBelow, seededRandom } from "../../../../support/seeded-random.ts";
import { shape } from "../../../../support/outline-notation.ts";
import { type Desk, fakeParts, MemoryPlace, openDesk } from "../../../support/fake-workspace.ts";
import { focusIn } from "../../commands/focus-in.ts";

/** Each row as `depth name`, with `=` for a row below a mirror, `+` collapsed, `-` expanded. */
function rowsIn({ workspace, replica }: Desk): string {
  return workspace.rows.rows
    .get()
    .map(({ id, key, depth, hasChildren, isExpanded }) => {
      const mark = hasChildren ? (isExpanded ? "-" : "+") : "";
      const name = replica.edits.text(key, "name")?.toJSON() ?? "";
      return `${depth}${viaOf(id) === "" ? "" : "="}${name}${mark}`;
    })
    .join(" ");
}

/** Makes a mirror of a line. Answers the id of its row, and those of the rows in it by their names. */
function mirrorOf({ replica, key }: Desk, of: string, parent: NodeKey) {
  const made = replica.edits.mirror(key(of), { parent: ROOT, position: "bottom" });
  if (made.kind !== "created") throw new Error(made.kind);
  const id = made.key;
  // None is made in its origin, but it may come there.
  replica.edits.move([id], { parent, position: "bottom" });
  return { id, copy: (name: string) => `${id}${key(name)}` as RowId };
}

describe("rows below a mirror", () => {
  it("[W420] are its origin's children, the first level of them open", async () => {
    const desk = await openDesk("a(b(c) d) e");
    const { id, copy } = mirrorOf(desk, "a", desk.key("e"));
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 1d 0e- 1a- 2=b+ 2=d");
    desk.workspace.rows.setCollapsed([copy("b")], false);
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 1d 0e- 1a- 2=b- 3=c 2=d");
    const { rows } = desk.workspace;
    const ids = rows.rows.get().map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.map((each) => rows.indexOf(each))).toEqual([...ids.keys()]);
    rows.setCollapsed([id], true);
    expect(rowsIn(desk)).toBe("0a- 1b- 2c 1d 0e- 1a+");
  });

  it("[W420] show nothing of what is being shown already, and end in every ring", async () => {
    const desk = await openDesk("a(b) c(d)");
    mirrorOf(desk, "a", desk.key("b"));
    expect(rowsIn(desk)).toBe("0a- 1b- 2a 0c- 1d");
    mirrorOf(desk, "c", desk.key("b"));
    mirrorOf(desk, "a", desk.key("c"));
    expect(rowsIn(desk)).toBe("0a- 1b- 2a 2c- 3=d 3=a 0c- 1d 1a- 2=b+");
    desk.workspace.rows.zoomTo(desk.key("b"));
    // Its origin is above what is looked at: it is shown, and what it shows is not.
    expect(rowsIn(desk)).toBe("0a- 1=b+ 0c- 1=d 1=a+");
  });

  it("[W420] of rings that open twice as much at each level no more than 10,000 are shown", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const desk = await openDesk(names.join(" "));
    const { replica, workspace, key } = desk;
    for (const [index, name] of names.slice(1).entries()) {
      for (let twice = 0; twice < 2; twice++) {
        mirrorOf(desk, name, key(names[index] ?? ""));
      }
    }
    for (let round = 0; round < 20; round++) {
      const closed = workspace.rows.rows.get().filter((row) => row.hasChildren && !row.isExpanded);
      workspace.rows.setCollapsed(
        closed.map((row) => row.id),
        false,
      );
    }
    const rows = workspace.rows.rows.get();
    const copies = rows.filter(({ id }) => viaOf(id) !== "").length;
    expect([copies > 9_000, copies <= 10_000]).toEqual([true, true]);
    expect(replica.outline.size).toBe(20 + 38);
    // Whatever changes then leaves as many open as there would be from nothing.
    const ids = () => workspace.rows.rows.get().map((row) => `${row.id} ${row.isExpanded}`);
    const anew = async () => {
      const place = new MemoryPlace();
      const parts = { ...fakeParts(replica), place, isMac: false };
      return (await createWorkspace(parts)).rows.rows.get().map((r) => `${r.id} ${r.isExpanded}`);
    };
    replica.edits.create({ parent: ROOT, position: "top", name: "more" });
    expect(ids()).toEqual(await anew());
    replica.edits.trash([key("n1")]);
    expect(ids()).toEqual(await anew());
  });

  it("[W421] are collapsed each for itself, also after the next start", async () => {
    const desk = await openDesk("a(b(c)) e f");
    const [first, second] = [
      mirrorOf(desk, "a", desk.key("e")),
      mirrorOf(desk, "a", desk.key("f")),
    ];
    const { rows } = desk.workspace;
    rows.setCollapsed([first.copy("b"), second.id, desk.key("b")], false);
    rows.setCollapsed([second.id, desk.key("b")], true);
    const said = "0a- 1b+ 0e- 1a- 2=b- 3=c 0f- 1a+";
    expect([rowsIn(desk), desk.replica.history.last]).toEqual([said, desk.replica.history.last]);
    const place = new MemoryPlace();
    const workspace = await createWorkspace({ ...fakeParts(desk.replica), place, isMac: false });
    expect(rowsIn({ ...desk, workspace })).toBe(said);
    workspace.rows.setCollapsed([first.copy("b")], true);
    workspace.rows.setCollapsed([second.id], false);
    expect(rowsIn({ ...desk, workspace })).toBe("0a- 1b+ 0e- 1a- 2=b+ 0f- 1a- 2=b+");
  });

  it("[W420] vanish with the mirror alone, and with the origin", async () => {
    const desk = await openDesk("a(b) e");
    const { id } = mirrorOf(desk, "a", desk.key("e"));
    const { workspace } = desk;
    workspace.focus.caret(id, "end");
    workspace.commands.run("node.delete");
    expect([rowsIn(desk), focusIn(desk)]).toEqual(["0a- 1b 0e", "e@1"]);
    workspace.commands.run("history.undo");
    expect(rowsIn(desk)).toBe("0a- 1b 0e- 1a- 2=b");
    desk.replica.edits.move([desk.key("a")], { parent: ROOT, position: "bottom" });
    workspace.focus.caret(desk.key("a"), "end");
    workspace.commands.run("node.delete");
    // The rows right above have gone with it.
    expect([rowsIn(desk), focusIn(desk)]).toEqual(["0e", "e@1"]);
  });

  it("[D126, W420] of a search each line is found once, at its own place", async () => {
    const desk = await openDesk("a(x) e");
    mirrorOf(desk, "a", desk.key("e"));
    desk.workspace.rows.search("x");
    expect([rowsIn(desk), desk.workspace.rows.found.get()]).toEqual(["0a- 1x", 1]);
    desk.workspace.rows.search("");
    desk.workspace.rows.search("e");
    desk.workspace.rows.setCollapsed([desk.key("e")], false);
    // What is opened in it shows the mirror, and not the same lines once more.
    expect(rowsIn(desk)).toBe("0e- 1a");
  });

  it.each([1, 2, 3, 4, 5, 6])(
    "[W420] are those that would be made from nothing (seed %i)",
    async (seed) => {
      const desk = await openDesk("a(b(c d) e) f(g(h)) i");
      const { workspace, replica, place } = desk;
      const random = seededRandom(seed);
      const { outline, edits } = replica;
      const any = (): NodeKey => {
        const keys = [ROOT, ...outline.keysInOrder()];
        return keys[integerBelow(random, keys.length)] ?? ROOT;
      };
      let copies = 0;
      for (let step = 0; step < 120; step++) {
        const [key, parent] = [any(), any()];
        const rows = workspace.rows.rows.get();
        const row = rows[integerBelow(random, rows.length)];
        const kind = integerBelow(random, 8);
        if (kind < 2) edits.mirror(key, { parent });
        else if (kind < 4) edits.move([key], { parent, position: "bottom" });
        else if (kind === 4) edits.create({ parent, name: `${step}` });
        else if (kind === 5 && step % 3 === 0) edits.trash([key]);
        else if (kind === 6) replica.history.undo();
        else if (row !== undefined) workspace.rows.setCollapsed([row.id], row.isExpanded);
        const after = workspace.rows.rows.get();
        const again = await createWorkspace({ ...fakeParts(replica), place, isMac: false });
        const said = (each: (typeof after)[number]): unknown[] => [
          each.id,
          each.depth,
          each.hasChildren,
          each.isExpanded,
        ];
        expect(after.map(said)).toEqual(again.rows.rows.get().map(said));
        expect(after.map(({ id }) => workspace.rows.indexOf(id))).toEqual([...after.keys()]);
        copies += after.filter(({ id }) => viaOf(id) !== "").length;
        again.close();
      }
      expect(copies).toBeGreaterThan(0);
    },
  );
});

describe("writing below a mirror", () => {
  async function openMirror(notation = "a(b c) e") {
    const desk = await openDesk(notation);
    const { workspace } = desk;
    const made = mirrorOf(desk, "a", desk.key("e"));
    const placed = (): string => {
      const state = workspace.focus.state.get();
      const id = state === undefined ? undefined : state.kind === "text" ? state.id : state.head;
      return `${id === undefined || viaOf(id) === "" ? "" : "="}${focusIn(desk)}`;
    };
    return { ...desk, ...made, desk, placed, run: (id: string) => workspace.commands.run(id) };
  }

  it("[W422] Enter makes a line of the origin, and the caret stays in the copy", async () => {
    const { workspace, desk, placed, run, copy, id, replica } = await openMirror();
    workspace.focus.caret(copy("b"), "end");
    run("node.split");
    expect([shape(replica.outline), placed()]).toEqual(["a(b  c) e(a(b  c))", "=@0"]);
    run("history.undo");
    expect([shape(replica.outline), placed()]).toEqual(["a(b c) e(a(b c))", "=b@1"]);
    run("history.redo");
    expect(placed()).toBe("=@0");
    run("history.undo");
    // At the end of an open mirror it makes the first line in it, beside a closed one the next line.
    workspace.focus.caret(id, "end");
    run("node.split");
    expect([shape(replica.outline), placed()]).toEqual(["a( b c) e(a( b c))", "=@0"]);
    run("history.undo");
    workspace.rows.setCollapsed([id], true);
    workspace.focus.caret(id, "end");
    run("node.split");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 1c 0e- 1a+ 1", "@0"]);
  });

  it("[W422] typing is undone where it was done", async () => {
    const { workspace, placed, run, copy, id, key, replica } = await openMirror();
    for (const [row, was] of [
      [copy("b"), "=b"],
      [id, "a"],
    ] as const) {
      workspace.focus.caret(row, "end");
      replica.edits.type(keyOf(row), "name", { at: 1, remove: 0, insert: "x" });
      workspace.focus.noticed(row, "name", 2, 2);
      workspace.focus.caret(key("a"), 0);
      run("history.undo");
      expect([placed(), (workspace.focus.state.get() as { id?: RowId }).id]).toEqual([
        `${was}@1`,
        row,
      ]);
      run("history.redo");
      expect([placed(), (workspace.focus.state.get() as { id?: RowId }).id]).toEqual([
        `${was}x@2`,
        row,
      ]);
      run("history.undo");
    }
  });

  it("[W422] lines are indented, moved and outdented in the copy, and taken out of it", async () => {
    const { desk, workspace, placed, run, copy, id } = await openMirror();
    workspace.focus.caret(copy("c"), "end");
    run("node.indent");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b- 2c 0e- 1a- 2=b- 3=c", "=c@1"]);
    run("node.split");
    run("history.undo");
    expect(placed()).toBe("=c@1");
    run("history.undo");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 1c 0e- 1a- 2=b 2=c", "=c@1"]);
    run("history.redo");
    run("node.outdent");
    run("node.moveUp");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1c 1b 0e- 1a- 2=c 2=b", "=c@1"]);
    run("node.outdent");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 0e- 1a- 2=b 1c", "c@1"]);
    run("node.moveUp");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 0e- 1c 1a- 2=b", "c@1"]);
    run("node.moveDown");
    run("node.indent");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 1c 0e- 1a- 2=b 2=c", "=c@1"]);
    run("history.undo");
    workspace.focus.selectNodes([id], id, id);
    run("node.outdent");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 0e- 1c 0a- 1=b", "[a]"]);
  });

  it("[W422] a line that its mirror can't show is looked for at its own place", async () => {
    const desk = await openDesk("a(b) c");
    const { workspace } = desk;
    mirrorOf(desk, "a", desk.key("b"));
    const made = desk.replica.edits.create({
      parent: desk.key("b"),
      position: "bottom",
      name: "x",
    });
    if (made.kind !== "created") throw new Error(made.kind);
    workspace.focus.caret(made.key, "end");
    workspace.commands.run("node.indent");
    expect([rowsIn(desk), focusIn(desk)]).toEqual(["0a- 1b- 2a 1x 0c", "x@1"]);
    expect(workspace.rows.indexOf(made.key)).toBe(3);
  });

  it("[W422] selection, completion, copies and deletion concern the rows of the copy", async () => {
    const { desk, workspace, placed, run, copy, replica } = await openMirror();
    workspace.focus.caret(copy("b"), "end");
    run("select.down");
    run("select.down");
    expect(placed()).toBe("=[b c]");
    run("node.complete");
    expect(placed()).toBe("=[b c]");
    run("node.duplicate");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1b 1c 1b 1c 0e- 1a- 2=b 2=c 2=b 2=c", "=[b c]"]);
    run("node.deleteSelected");
    expect([shape(replica.outline), placed()]).toEqual(["a(b c) e(a(b c))", "=c@1"]);
    workspace.focus.caret(copy("c"), "end");
    run("node.mirror");
    expect([shape(replica.outline), placed()]).toEqual(["a(b c c) e(a(b c c))", "=c@1"]);
  });

  it("[W422] lines are joined within the copy, and not over its edge", async () => {
    const { desk, workspace, placed, run, copy, notices, replica } = await openMirror("a(b c) e f");
    workspace.focus.caret(copy("b"), "start");
    run("node.mergeUp");
    workspace.focus.caret(desk.key("f"), "start");
    run("node.mergeUp");
    expect(shape(replica.outline)).toBe("a(b c) e(a(b c)) f");
    expect(notices.shown.get().map(({ text }) => text)).toEqual([
      "A mirror is not joined with other lines.",
      "A mirror is not joined with other lines.",
    ]);
    workspace.focus.caret(copy("c"), "start");
    run("node.mergeUp");
    expect([rowsIn(desk), placed()]).toEqual(["0a- 1bc 0e- 1a- 2=bc 0f", "=bc@1"]);
  });

  it("[W422] zoom leads to a line's own place, and the caret along", async () => {
    const { workspace, placed, run, copy, key, id } = await openMirror();
    workspace.focus.caret(copy("b"), "end");
    run("view.zoomIn");
    expect([workspace.rows.zoom.get(), placed()]).toEqual([key("b"), "b@1"]);
    run("view.home");
    workspace.focus.caret(id, "end");
    run("view.zoomIn");
    expect([workspace.rows.zoom.get(), placed()]).toEqual([key("a"), "a@1"]);
  });

  it("[W422] a row in a closed mirror is brought into sight; one that has left it, where it is", async () => {
    const { desk, workspace, copy, id, key, replica } = await openMirror("a(b(d) c) e");
    const deep = besideRow(copy("b"), key("d"));
    workspace.rows.setCollapsed([id, key("e")], true);
    expect(workspace.rows.reveal(deep)).toBe(deep);
    expect(rowsIn(desk)).toBe("0a- 1b- 2d 1c 0e- 1a- 2=b- 3=d 2=c");
    workspace.rows.zoomTo(key("b"));
    expect(workspace.rows.reveal(copy("c"))).toBe(copy("c"));
    expect(workspace.rows.zoom.get()).toBe(ROOT);
    replica.edits.move([key("d")], { parent: ROOT, position: "bottom" });
    expect(workspace.rows.reveal(deep)).toBe(key("d"));
    replica.edits.trash([id]);
    expect(workspace.rows.reveal(copy("c"))).toBe(key("c"));
  });
});

describe("pasting a link to a line", () => {
  const linkTo = (key: NodeKey) =>
    ({ kind: "inline", text: [{ insert: "a", attributes: { a: hrefOfNode(key) } }] }) as const;

  it("[W423] makes a mirror in the place of an empty line, and behind selected lines", async () => {
    const desk = await openDesk("a(b) e");
    const { workspace, replica, notices } = desk;
    workspace.focus.caret(desk.key("e"), "end");
    workspace.commands.run("node.split");
    paste(workspace, linkTo(desk.key("a")));
    expect([rowsIn(desk), focusIn(desk)]).toEqual(["0a- 1b 0e 0a- 1=b", "a@1"]);
    expect(notices.shown.get().map(({ text }) => text)).toEqual([
      "Pasted as a mirror of the line; within a text it is a link",
    ]);
    workspace.commands.run("history.undo");
    expect([shape(replica.outline), focusIn(desk)]).toEqual(["a(b) e ", "@0"]);
    workspace.focus.selectNodes([desk.key("e")], desk.key("e"), desk.key("e"));
    const bare = { kind: "inline", text: [{ insert: `${hrefOfNode(desk.key("b"))} ` }] } as const;
    paste(workspace, bare);
    expect(rowsIn(desk)).toBe("0a- 1b 0e 0b 0");
  });

  it("[W423] makes a link within a text, in the line itself, and where the line is gone", async () => {
    const desk = await openDesk("a(b) e");
    const { workspace, replica } = desk;
    const link = `<a href="${hrefOfNode(desk.key("a"))}">a</a>`;
    workspace.focus.caret(desk.key("e"), 1);
    paste(workspace, linkTo(desk.key("a")));
    expect(shape(replica.outline)).toBe(`a(b) e${link}`);
    workspace.focus.caret(desk.key("b"), "end");
    workspace.commands.run("node.split");
    paste(workspace, linkTo(desk.key("a")));
    expect(shape(replica.outline)).toBe(`a(b ${link}) e${link}`);
    replica.edits.trash([desk.key("a")]);
    workspace.focus.caret(desk.key("e"), "end");
    workspace.commands.run("node.split");
    paste(workspace, linkTo(desk.key("a")));
    expect(shape(replica.outline)).toBe(`e${link} ${link}`);
  });
});
