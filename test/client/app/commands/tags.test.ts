import { expect, test, vi } from "vitest";
import { SlashState } from "../../../../client/app/commands/slash-state.ts";
import { TagCounts } from "../../../../client/app/sidebar/tag-counts.ts";
import { type Desk, openDesk } from "../../support/fake-workspace.ts";

/** Types at the end of `a`, character by character, as an editor would report it. */
function type({ workspace, replica, key }: Desk, slash: SlashState, text: string): void {
  for (const character of text) {
    const at = replica.edits.text(key("a"), "name")?.length ?? 0;
    replica.edits.type(key("a"), "name", { at, remove: 0, insert: character });
    workspace.focus.noticed(key("a"), "name", at + 1, at + 1);
    slash.typed();
  }
}

async function openTagged() {
  const desk = await openDesk("a b c d");
  for (const [name, text] of [
    ["b", "x #home #house/garden"],
    ["c", "#Home @ann"],
    ["d", "#hut (#home)"],
  ] as const) {
    desk.replica.outline.update(desk.key(name), { name: text });
  }
  const slash = new SlashState(desk.workspace);
  const labels = () => slash.open.get()?.items.map(({ label, hint }) => `${label} ${hint}`);
  const nameOf = () => desk.replica.edits.text(desk.key("a"), "name")?.toJSON();
  return { desk, slash, labels, nameOf };
}

test("[W294] tags and mentions are offered by what is typed, those of most lines first", async () => {
  const { desk, slash, labels, nameOf } = await openTagged();
  type(desk, slash, " #h");
  await vi.waitFor(() => expect(labels()).toEqual(["#home 3", "#house/garden 1", "#hut 1"]));
  type(desk, slash, "o");
  expect(labels()).toEqual(["#home 3", "#house/garden 1"]);
  slash.takeKey({ key: "ArrowDown" });
  expect(slash.takeKey({ key: "Tab" })).toBe(true);
  expect(nameOf()).toBe("a #house/garden ");
  expect(slash.open.get()).toBeUndefined();
  desk.replica.history.undo();
  expect(nameOf()).toBe("a #ho");
  type(desk, slash, " @");
  expect(labels()).toEqual(["@ann 1"]);
});

test("[W294] Enter belongs to the line while a whole tag, or nothing, is typed", async () => {
  const { desk, slash, labels, nameOf } = await openTagged();
  type(desk, slash, " #");
  await vi.waitFor(() => expect(labels()).toHaveLength(3));
  expect(slash.takeKey({ key: "Enter" })).toBe(false);
  type(desk, slash, "home");
  expect(labels()).toEqual([]);
  expect(slash.takeKey({ key: "Enter" })).toBe(false);
  desk.replica.outline.update(desk.key("b"), { name: "#home-work" });
  type(desk, slash, " #home");
  expect(labels()).toEqual(["#home-work 1"]);
  expect(slash.takeKey({ key: "Tab" })).toBe(false);
  expect(slash.takeKey({ key: "ArrowUp" })).toBe(true);
  expect(slash.takeKey({ key: "Enter" })).toBe(true);
  expect(nameOf()).toBe("a #home #home-work ");
});

test("[W294] nothing opens within a word, in an address or for a heading", async () => {
  const { desk, slash } = await openTagged();
  for (const text of ["b#h", " ann@h", " https://a.example/#h", " ## h", " # h"]) {
    type(desk, slash, text);
    expect(slash.open.get(), text).toBeUndefined();
  }
});

test("[W294] a tag that only the line itself has is not offered, and a space behind it is kept", async () => {
  const { desk, slash, labels, nameOf } = await openTagged();
  desk.replica.outline.update(desk.key("a"), { name: "a #huh z" });
  const caretAt = (at: number): void => desk.workspace.focus.noticed(desk.key("a"), "name", at, at);
  desk.replica.edits.type(desk.key("a"), "name", { at: 2, remove: 0, insert: "# " });
  caretAt(3);
  slash.typed();
  desk.replica.edits.type(desk.key("a"), "name", { at: 3, remove: 0, insert: "hu" });
  caretAt(5);
  slash.typed();
  await vi.waitFor(() => expect(labels()).toEqual(["#hut 1"]));
  slash.choose(0);
  expect(nameOf()).toBe("a #hut #huh z");
  expect(desk.workspace.focus.state.get()).toMatchObject({ anchor: 7, head: 7 });
});

test("[W294] a tag counts no more while what its line is in is deleted", async () => {
  const desk = await openDesk("a(b) c");
  const { outline, edits } = desk.replica;
  outline.update(desk.key("b"), { name: "#home" });
  outline.update(desk.key("c"), { name: "#home" });
  const counts = TagCounts.of(desk.replica);
  const counted = async (count: number): Promise<void> => {
    await vi.waitFor(() => expect(counts.counts.get()).toEqual([{ tag: "#home", count }]));
    expect(counts.find("#h", desk.key("a"))).toEqual([{ tag: "#home", count }]);
  };
  await counted(2);
  edits.trash([desk.key("a")]);
  await counted(1);
  edits.restore(desk.key("a"));
  await counted(2);
});
