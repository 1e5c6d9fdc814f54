import { expect, test } from "vitest";
import { SlashState } from "../../../../client/app/commands/slash-state.ts";
import { FollowedNames } from "../../../../client/app/state/followed-names.ts";
import { inOneGo } from "../../../../src/core/in-one-go.ts";
import { SearchIndex } from "../../../../src/core/search/search-index.ts";
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

const nameOf = ({ replica, key }: Desk, name: string) => replica.outline.node(key(name))?.name;

test("[W235] two brackets list lines by their names, and what is chosen is a link", async () => {
  const desk = await openDesk("a launch(plan) lunch");
  const slash = new SlashState(desk.workspace);
  type(desk, slash, " [[lau");
  const { items = [] } = slash.open.get() ?? {};
  expect(items.map(({ label }) => label)).toEqual(["launch"]);
  expect(slash.takeKey({ key: "Enter" })).toBe(true);
  expect(nameOf(desk, "a")).toBe(`a <a href="#/${desk.key("launch")}">launch</a> `);
  desk.replica.history.undo();
  expect(nameOf(desk, "a")).not.toContain("href");
});

test("[W235] before anything is typed stars are offered, and the first lines of home", async () => {
  const desk = await openDesk("a launch(plan) lunch");
  desk.replica.edits.setShortcut("p", desk.key("plan"));
  const slash = new SlashState(desk.workspace);
  type(desk, slash, " [[");
  const labels = slash.open.get()?.items.map(({ label }) => label);
  expect(labels).toEqual(["plan", "launch", "lunch"]);
});

test("[W235] a whole name and two brackets are a link at once, any other stays as it is", async () => {
  const desk = await openDesk("a launch lunch");
  const slash = new SlashState(desk.workspace);
  type(desk, slash, " [[Launch]]");
  expect(nameOf(desk, "a")).toBe(`a <a href="#/${desk.key("launch")}">launch</a> `);
  // The space that is there already is not typed once more.
  type(desk, slash, " too  ");
  expect(nameOf(desk, "a")).toBe(`a <a href="#/${desk.key("launch")}">launch</a> too  `);
  type(desk, slash, "[[nothing]]");
  expect(nameOf(desk, "a")).toContain("[[nothing]]");
  expect(slash.open.get()).toBeUndefined();
});

async function openLinked() {
  const desk = await openDesk("a b c");
  const { edits, outline } = desk.replica;
  const target = desk.key("b");
  const link = (text: string) => `<a href="#/${target}">${text}</a>`;
  outline.update(desk.key("a"), { name: link("b") });
  outline.update(desk.key("c"), { name: link("own") });
  inOneGo(SearchIndex.of(outline).links.build());
  desk.workspace.focus.noticed(target, "name", 1, 1);
  const rename = (text: string) =>
    edits.type(target, "name", { at: 1, remove: 0, insert: text }).kind;
  const leave = (): void => desk.workspace.focus.noticed(desk.key("c"), "name", 0, 0);
  return { desk, target, link, rename, leave };
}

test("[W236] links follow a renamed line when the caret leaves it, and undo", async () => {
  const { desk, target, link, rename, leave } = await openLinked();
  expect([rename("ook"), rename("r")]).toEqual(["ok", "ok"]);
  expect(nameOf(desk, "a")).toBe(link("b"));
  leave();
  expect([nameOf(desk, "a"), nameOf(desk, "c")]).toEqual([link("brook"), link("own")]);
  desk.replica.history.undo();
  desk.workspace.focus.noticed(target, "name", 0, 0);
  leave();
  expect(nameOf(desk, "a")).toBe(link("b"));
});

test("[W236] what was still to follow when the page was closed follows at the next start", async () => {
  const { desk, link, rename } = await openLinked();
  rename("ook");
  desk.workspace.close();
  desk.workspace.focus.clear();
  const { replica, workspace } = desk;
  const again = new FollowedNames({ replica, focus: workspace.focus, records: replica.records });
  await expect.poll(() => nameOf(desk, "a")).toBe(link("book"));
  again.close();
});

test("[W236] it is remembered until it is stored that links have followed", async () => {
  const { desk, target, link, rename, leave } = await openLinked();
  let store = (): void => {};
  const stored = new Promise<void>((resolve) => (store = resolve));
  Object.assign(desk.replica, { stored: () => stored });
  const toFollow = () => desk.replica.records.values.get("renamed-lines");
  rename("ook");
  leave();
  expect([nameOf(desk, "a"), toFollow()]).toEqual([link("book"), [[target, ["b"]]]]);
  store();
  await expect.poll(toFollow).toEqual([]);
});
