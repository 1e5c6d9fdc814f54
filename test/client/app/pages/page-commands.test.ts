import type { Command } from "../../../../client/app/commands/command.ts";
import { expect, test } from "vitest";
import type { CommandTarget } from "../../../../client/app/commands/command.ts";
import type { DialogRequest } from "../../../../client/app/dialogs/dialog-request.ts";
import { markText } from "../../../../client/app/outline/focus/text-mark.ts";
import { NoticeBoard } from "../../../../client/app/page/notice-board.ts";
import { PAGE_COMMANDS } from "../../../../client/app/page/page-commands.ts";
import { devicePreferences } from "../../../../client/app/settings/device-preferences.ts";
import { Cell } from "../../../../client/app/state/source.ts";
import type { Workspace } from "../../../../client/app/state/workspace.ts";
import { dayKey, type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { keyOf, plant } from "../../../support/outline-notation.ts";
import { testOutline } from "./test-outline.ts";
import { testStorage } from "./test-storage.ts";

/** As much of a workspace as these commands touch. */
function workspaceOf(device = testOutline()) {
  const zoom = new Cell<NodeKey>(ROOT);
  const carets: unknown[] = [];
  const dialog = new Cell<DialogRequest | undefined>(undefined);
  const workspace = {
    replica: device,
    rows: { zoom, zoomTo: (key: NodeKey) => zoom.set(key) },
    focus: { caret: (key: NodeKey, at: unknown) => carets.push([key, at]) },
    dialog,
    notices: new NoticeBoard({ setTimeout: () => undefined }),
    preferences: devicePreferences(testStorage()),
  } as unknown as Workspace;
  const nowhere: CommandTarget = { keys: [], ids: [] };
  const run = (id: string, target = nowhere): boolean => {
    const command = PAGE_COMMANDS.find((each) => each.id === id);
    if (command === undefined) throw new Error(`no command ${id}`);
    const isEnabled = command.isEnabled(workspace, target);
    if (isEnabled) void command.run(workspace, target);
    return isEnabled;
  };
  return { workspace, device, zoom, carets, dialog, run };
}

test("[W85] today is the day that it is in the user's time zone, and is made with a line", () => {
  // 2026-11-20 23:30 in Vienna, which is already the 21st in Auckland.
  const nowMs = Date.UTC(2026, 10, 20, 22, 30);
  for (const [timezone, day] of [
    ["Europe/Vienna", dayKey(2026, 11, 20)],
    ["Pacific/Auckland", dayKey(2026, 11, 21)],
    ["America/Los_Angeles", dayKey(2026, 11, 20)],
  ] as const) {
    const { device, zoom, carets, run } = workspaceOf(testOutline({ nowMs }));
    device.outline.configure({ timezone });
    run("page.today");
    const [line] = device.outline.childKeys(day);
    expect([timezone, zoom.get(), carets]).toEqual([timezone, day, [[line, "end"]]]);
  }
});

test("[W85] a day that is there is opened as it is", () => {
  const { device, zoom, carets, run } = workspaceOf();
  const day = dayKey(2026, 11, 20);
  device.edits.create({ parent: day, name: "written" });
  const [line] = device.outline.childKeys(day);
  run("page.today");
  expect([zoom.get(), device.outline.childKeys(day), carets]).toEqual([
    day,
    [line],
    [[line, "end"]],
  ]);
});

test("[W86] what is starred is the node at hand, or else the one that is looked into", () => {
  const { device, zoom, dialog, run } = workspaceOf();
  const keys = plant(device.outline, "a(b)");
  expect(run("node.star")).toBe(false);
  zoom.set(keyOf(keys, "a"));
  run("node.star");
  expect(dialog.get()).toEqual({ kind: "star", key: keyOf(keys, "a") });
  run("node.star", { keys: [keyOf(keys, "b")], ids: [] });
  expect(dialog.get()).toEqual({ kind: "star", key: keyOf(keys, "b") });
});

test("[W86] import, export and date are about what is looked at and edited", () => {
  const { device, zoom, dialog, run } = workspaceOf();
  const key = keyOf(plant(device.outline, "a"), "a");
  zoom.set(key);
  run("page.import");
  expect(dialog.get()).toEqual({ kind: "import", into: key });
  run("page.export");
  expect(dialog.get()).toEqual({ kind: "export", from: key });
  expect(run("text.date", { keys: [key], ids: [key] })).toBe(false);
  run("text.date", { keys: [key], ids: [key], text: { part: "name", from: 1, to: 1 } });
  const place = markText(device, { key, part: "name", from: 1, to: 1 });
  expect(dialog.get()).toEqual({ kind: "date", id: key, place });
});

test("[W86] theme, text size and completed nodes are switched and announced", () => {
  const { workspace, run } = workspaceOf();
  const { theme, textSize, hidesCompleted } = workspace.preferences;
  run("page.theme");
  run("page.largerText");
  run("view.hideCompleted");
  expect([theme.get(), textSize.get(), hidesCompleted.get()]).toEqual(["light", "large", true]);
  expect(run("page.largerText")).toBe(false);
  run("page.theme");
  run("page.theme");
  expect(theme.get()).toBe("system");
});

test("[W86, W53] no two of them share an id or a key, but for Escape: the first that is enabled runs", () => {
  const ids = PAGE_COMMANDS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const keysOf = ({ keys = [] }: Command): readonly string[] => keys;
  const macKeysOf = (command: Command): readonly string[] => command.macKeys ?? keysOf(command);
  for (const keysThere of [keysOf, macKeysOf]) {
    const keys = PAGE_COMMANDS.flatMap(keysThere);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual(["Escape"]);
    const ofEscape = PAGE_COMMANDS.filter((command) => keysThere(command).includes("Escape"));
    expect(ofEscape.map(({ id }) => id)).toEqual(["page.endSearch", "page.search"]);
  }
});
