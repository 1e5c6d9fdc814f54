import { describe, expect, it } from "vitest";
import { SlashState } from "../../../../client/app/commands/slash-state.ts";
import { type Desk, openDesk } from "../../support/fake-workspace.ts";

/** Types into a name, character by character, as an editor would report it. */
function type(
  { workspace, replica, key }: Desk,
  slash: SlashState,
  text: string,
  from = replica.edits.text(key("a"), "name")?.length ?? 0,
): void {
  for (const [index, character] of Array.from(text).entries()) {
    const at = from + index;
    replica.edits.type(key("a"), "name", { at, remove: 0, insert: character });
    workspace.focus.noticed(key("a"), "name", at + 1, at + 1);
    slash.typed();
  }
}

async function typed(text: string) {
  const desk = await openDesk("a");
  const slash = new SlashState(desk.workspace);
  type(desk, slash, text);
  return { desk, slash, labels: () => slash.open.get()?.items.map(({ label }) => label) };
}

describe("the slash menu", () => {
  it("[W54] opens with a slash at the start of a word, and nowhere else", async () => {
    expect((await typed(" /")).labels()?.length).toBeGreaterThan(8);
    expect((await typed("/")).labels()).toBeUndefined();
    expect((await typed(" 1/2")).labels()).toBeUndefined();
    const code = await openDesk("a");
    code.replica.edits.layout([code.key("a")], "code-block");
    const slash = new SlashState(code.workspace);
    type(code, slash, " /");
    expect(slash.open.get()).toBeUndefined();
  });

  it("[W54] begins with what a line can be, as it is first", async () => {
    const { desk, slash, labels } = await typed(" /");
    expect(labels()?.slice(0, 4)).toEqual(["Bullet", "To-do", "Heading 1", "Heading 2"]);
    slash.takeKey({ key: "Enter" });
    expect(desk.replica.outline.node(desk.key("a"))).toMatchObject({
      name: "a ",
      layout: "bullets",
      completedAt: null,
    });
  });

  it("[W54] filters by label and other words, and dates in words", async () => {
    expect((await typed(" /head")).labels()).toEqual(["Heading 1", "Heading 2", "Heading 3"]);
    expect((await typed(" /checkbox")).labels()).toEqual(["To-do"]);
    expect((await typed(" /todo")).labels()).toEqual(["To-do"]);
    expect((await typed(" /tom")).labels()).toEqual(["Sat, Nov 21, 2026"]);
    expect((await typed(" /fri")).labels()).toEqual(["Fri, Nov 27, 2026"]);
    expect((await typed(" /aug 3 5pm")).labels()).toEqual(["Tue, Aug 3, 2027 at 5:00pm"]);
    expect((await typed(" /xyzzy")).labels()).toEqual([]);
  });

  it("[W54] offers the times that a begun one can become, behind a day that is said already", async () => {
    const day = "Sat, Nov 21, 2026";
    expect((await typed(" /tomorrow 5")).labels()).toEqual([
      `${day} at 5:00pm`,
      `${day} at 5:00am`,
    ]);
    expect((await typed(" /tomorrow 17")).labels()).toEqual([`${day} at 5:00pm`]);
    expect((await typed(" /tomorrow 17:")).labels()).toEqual([`${day} at 5:00pm`]);
    expect((await typed(" /tomorrow 5p")).labels()).toEqual([`${day} at 5:00pm`]);
    expect((await typed(" /heading 1")).labels()).toEqual(["Heading 1"]);
  });

  it("[W54] closes when the caret leaves it, when its slash goes, and with Escape", async () => {
    const { desk, slash } = await typed(" /he");
    desk.workspace.focus.noticed(desk.key("a"), "name", 1, 1);
    expect(slash.open.get()).toBeUndefined();
    const other = await typed(" /he");
    expect(other.slash.takeKey({ key: "x" })).toBe(false);
    for (const modifier of ["ctrlKey", "metaKey", "altKey", "shiftKey"]) {
      expect(other.slash.takeKey({ key: "Enter", [modifier]: true })).toBe(false);
    }
    expect(other.slash.takeKey({ key: "Escape" })).toBe(true);
    expect(other.slash.open.get()).toBeUndefined();
    expect(other.slash.takeKey({ key: "Escape" })).toBe(false);
  });

  it("[W54] stays open, at the same line of it, while another writes in front of it", async () => {
    const { desk, slash, labels } = await typed(" /head");
    slash.takeKey({ key: "ArrowDown" });
    desk.replica.outline.editText(desk.key("a"), "name", (name) => name.insert(0, "far: "));
    const at = "far: a /head".length;
    desk.workspace.focus.noticed(desk.key("a"), "name", at, at);
    expect([labels(), slash.open.get()?.active]).toEqual([
      ["Heading 1", "Heading 2", "Heading 3"],
      1,
    ]);
    slash.takeKey({ key: "Enter" });
    const { name, layout } = desk.replica.outline.node(desk.key("a")) ?? {};
    expect([name, layout]).toEqual(["far: a ", "h2"]);
  });

  it("[W54] runs what is chosen in the place of what was typed, as one step", async () => {
    const { desk, slash } = await typed(" /head");
    slash.takeKey({ key: "ArrowDown" });
    slash.takeKey({ key: "Enter" });
    const node = () => desk.replica.outline.node(desk.key("a"));
    expect([node()?.layout, node()?.name]).toEqual(["h2", "a "]);
    desk.workspace.commands.run("history.undo");
    expect([node()?.layout, node()?.name]).toEqual(["bullets", "a /head"]);
  });

  it("[W54] writes a date that what is typed behind it is no part of", async () => {
    const { desk, slash } = await typed(" /tomorrow");
    slash.takeKey({ key: "Enter" });
    type(desk, slash, "x");
    expect(desk.replica.outline.node(desk.key("a"))?.name).toBe(
      'a <time startYear="2026" startMonth="11" startDay="21">Sat, Nov 21, 2026</time> x',
    );
  });
  it("[W90] writes a date as what is typed there would be", async () => {
    const desk = await openDesk("a");
    desk.replica.edits.format(desk.key("a"), "name", { from: 0, to: 1 }, "b", true);
    const slash = new SlashState(desk.workspace);
    type(desk, slash, " /tomorrow");
    slash.takeKey({ key: "Enter" });
    type(desk, slash, "x");
    expect(desk.replica.edits.text(desk.key("a"), "name")?.toDelta()).toEqual([
      { insert: "a ", attributes: { b: true } },
      { insert: "Sat, Nov 21, 2026", attributes: { b: true, d: "2026-11-21" } },
      { insert: " x", attributes: { b: true } },
    ]);
  });

  it("[W235] puts no second space behind what is chosen, and goes to no other line of a note", async () => {
    const desk = await openDesk("a");
    const key = desk.key("a");
    const { edits } = desk.replica;
    const slash = new SlashState(desk.workspace);
    edits.type(key, "name", { at: 1, remove: 0, insert: "  z" });
    type(desk, slash, "/tomorrow", 2);
    slash.takeKey({ key: "Enter" });
    expect(edits.text(key, "name")?.toJSON()).toBe("a Sat, Nov 21, 2026 z");
    expect(desk.workspace.focus.state.get()).toMatchObject({ anchor: 20, head: 20 });
    edits.type(key, "note", { at: 0, remove: 0, insert: "/tomorro\nz" });
    desk.workspace.focus.noticed(key, "note", 1, 1);
    slash.typed();
    edits.type(key, "note", { at: 8, remove: 0, insert: "w" });
    desk.workspace.focus.noticed(key, "note", 9, 9);
    slash.typed();
    slash.takeKey({ key: "Enter" });
    expect(edits.text(key, "note")?.toJSON()).toBe("Sat, Nov 21, 2026 \nz");
  });
});
