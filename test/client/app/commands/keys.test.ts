import { describe, expect, it } from "vitest";
import {
  type KeyPress,
  labelOfCombination,
  matchesCombination,
} from "../../../../client/app/commands/key-combination.ts";
import { LATER_COMMANDS } from "../../../../client/app/commands/later-commands.ts";
import { WRITING_COMMANDS } from "../../../../client/app/commands/writing-commands.ts";
import { openDesk } from "../../support/fake-workspace.ts";

function press(key: string, more: Partial<KeyPress> = {}): KeyPress {
  const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, code: "" };
  return { ...none, key, ...more };
}

describe("keys", () => {
  it("[W52] are those that users of outliners know", () => {
    const table = [...WRITING_COMMANDS, ...LATER_COMMANDS].flatMap(({ id, keys, macKeys = keys }) =>
      keys === undefined ? [] : [[id, macKeys?.join(" "), keys.join(" ")]],
    );
    expect(
      Object.fromEntries(table.map(([id, mac, others]) => [id, `${mac} / ${others}`])),
    ).toEqual({
      "node.split": "Enter / Enter",
      "node.copyLink": "Mod+Shift+L / Mod+Shift+L",
      "node.mirror": "Mod+Shift+Y / Mod+Shift+Y",
      "node.mergeUp": "Backspace / Backspace",
      "node.leaveEmptyNote": "Backspace / Backspace",
      "node.mergeDown": "Delete / Delete",
      "node.complete": "Mod+Enter / Mod+Enter",
      "node.note": "Shift+Enter / Shift+Enter",
      "node.duplicate": "Mod+Shift+D / Mod+Shift+D",
      "node.delete": "Mod+Shift+Backspace / Mod+Shift+Backspace",
      "node.deleteSelected": "Backspace Delete / Backspace Delete",
      "text.pasteLiteral": "Mod+Shift+V / Mod+Shift+V",
      "history.undo": "Mod+Z / Mod+Z",
      "history.redo": "Mod+Shift+Z / Mod+Shift+Z Mod+Y",
      "node.indent": "Tab / Tab",
      "node.outdent": "Shift+Tab / Shift+Tab",
      "node.moveUp": "Mod+Shift+ArrowUp / Alt+Shift+ArrowUp",
      "node.moveDown": "Mod+Shift+ArrowDown / Alt+Shift+ArrowDown",
      "node.moveTo": "Mod+Shift+M / Mod+Shift+M",
      "select.up": "Shift+ArrowUp / Shift+ArrowUp",
      "select.down": "Shift+ArrowDown / Shift+ArrowDown",
      "select.all": "Mod+A / Mod+A",
      "select.none": "Escape / Escape",
      "node.collapse": "Mod+ArrowUp / Mod+ArrowUp",
      "node.expand": "Mod+ArrowDown / Mod+ArrowDown",
      "view.zoomIn": "Mod+. / Alt+ArrowRight",
      "view.zoomOut": "Mod+, / Alt+ArrowLeft",
      "view.home": "Mod+' / Mod+'",
      "node.first": "Mod+Home / Mod+Home",
      "node.last": "Mod+End / Mod+End",
      "format.bold": "Mod+B / Mod+B",
      "format.italic": "Mod+I / Mod+I",
      "format.strike": "Mod+Shift+X / Mod+Shift+X",
      "format.code": "Mod+E / Mod+E",
      "format.link": "Mod+Shift+K / Mod+Shift+K",
      "layout.h1": "Mod+Alt+code:Digit1 / Mod+Alt+code:Digit1 Alt+Shift+code:Digit1",
      "layout.h2": "Mod+Alt+code:Digit2 / Mod+Alt+code:Digit2 Alt+Shift+code:Digit2",
      "layout.h3": "Mod+Alt+code:Digit3 / Mod+Alt+code:Digit3 Alt+Shift+code:Digit3",
      "layout.code": "Mod+Alt+code:Digit8 / Mod+Alt+code:Digit8 Alt+Shift+code:Digit8",
      "layout.quote": "Mod+Alt+code:Digit9 / Mod+Alt+code:Digit9 Alt+Shift+code:Digit9",
      "view.leave": "F6 / F6",
    });
  });

  it("[W52] match with exactly their modifiers, by place where the layout has no such letter", () => {
    expect(matchesCombination(press("k", { metaKey: true }), "Mod+K", true)).toBe(true);
    expect(matchesCombination(press("k", { ctrlKey: true }), "Mod+K", true)).toBe(false);
    expect(matchesCombination(press("k", { ctrlKey: true }), "Mod+K", false)).toBe(true);
    const shifted = press("K", { ctrlKey: true, shiftKey: true });
    expect(matchesCombination(shifted, "Mod+K", false)).toBe(false);
    expect(matchesCombination(shifted, "Mod+Shift+K", false)).toBe(true);
    const digit = press("¡", { metaKey: true, altKey: true, code: "Digit1" });
    expect(matchesCombination(digit, "Mod+Alt+code:Digit1", true)).toBe(true);
    const russian = press("и", { ctrlKey: true, code: "KeyB" });
    expect(matchesCombination(russian, "Mod+B", false)).toBe(true);
    const dvorak = press("x", { ctrlKey: true, code: "KeyB" });
    expect(matchesCombination(dvorak, "Mod+B", false)).toBe(false);
  });

  it("[W52] marks are reached on every layout: behind Shift, dead, or absent", () => {
    const ctrl = { ctrlKey: true };
    const german = press("/", { ...ctrl, shiftKey: true, code: "Digit7" });
    expect(matchesCombination(german, "Mod+/", false)).toBe(true);
    expect(matchesCombination(press(";", { ...ctrl, shiftKey: true }), "Mod+;", false)).toBe(true);
    const international = press("Dead", { ...ctrl, code: "Quote" });
    expect(matchesCombination(international, "Mod+'", false)).toBe(true);
    expect(matchesCombination(press("э", { ...ctrl, code: "Quote" }), "Mod+'", false)).toBe(true);
    const ö = press("ö", { ...ctrl, code: "Semicolon" });
    expect(matchesCombination(ö, "Mod+;", false)).toBe(true);
    const digit = press("7", { ...ctrl, code: "Digit7" });
    expect(matchesCombination(digit, "Mod+/", false)).toBe(false);
  });

  it("[W52] what AltGr writes is no command, and the second key is", () => {
    const altGraph = { getModifierState: (name: string) => name === "AltGraph" };
    const both = { ctrlKey: true, altKey: true, code: "Digit2", ...altGraph };
    expect(matchesCombination(press("²", both), "Mod+Alt+code:Digit2", false)).toBe(false);
    expect(matchesCombination(press("2", both), "Mod+Alt+code:Digit2", false)).toBe(true);
    const second = press('"', { altKey: true, shiftKey: true, code: "Digit2" });
    expect(matchesCombination(second, "Alt+Shift+code:Digit2", false)).toBe(true);
  });

  it("[W52] Shift+Tab is known by its place where its name is not, as in WebKitGTK", () => {
    const tab = press("Unidentified", { shiftKey: true, code: "Tab" });
    expect(matchesCombination(tab, "Shift+Tab", false)).toBe(true);
    expect(matchesCombination(tab, "Tab", false)).toBe(false);
  });

  it("[W52] read as on the machine's keyboard", () => {
    const labels = (combination: string): readonly string[] =>
      [true, false].map((isMac) => labelOfCombination(combination, isMac));
    expect(labels("Mod+Shift+K")).toEqual(["⇧⌘K", "Ctrl+Shift+K"]);
    expect(labels("Mod+Alt+code:Digit1")).toEqual(["⌥⌘1", "Ctrl+Alt+1"]);
    expect(labels("Mod+Shift+Backspace")).toEqual(["⇧⌘⌫", "Ctrl+Shift+Backspace"]);
    expect(labels("Alt+ArrowLeft")).toEqual(["⌥←", "Alt+←"]);
  });
});

describe("commands", () => {
  it("[W53] are known by unique ids, have a label, and run only while they are enabled", async () => {
    const { workspace } = await openDesk("a");
    const { commands } = workspace;
    expect(commands.all.every(({ label }) => label !== "")).toBe(true);
    const [first] = WRITING_COMMANDS;
    if (first === undefined) throw new Error("there are no commands");
    const before = commands.all;
    commands.add([first]);
    expect(commands.all).toEqual(before);
    expect(() => commands.add([{ ...first }])).toThrow();
    expect(commands.run("node.nothing")).toBe(false);
    expect(commands.run("node.complete")).toBe(false);
    workspace.focus.caret(workspace.rows.rows.get()[0]?.key ?? workspace.rows.zoom.get(), 0);
    expect(commands.run("node.complete")).toBe(true);
  });

  it("[W53] of one key are tried in their order", async () => {
    const { workspace, key } = await openDesk("ab c");
    const enabled = (): readonly string[] =>
      Array.from(workspace.commands.forKey(press("Backspace")), ({ id }) => id);
    workspace.focus.caret(key("c"), 0);
    expect(enabled()).toEqual(["node.mergeUp"]);
    workspace.focus.caret(key("ab"), 1);
    expect(enabled()).toEqual([]);
    workspace.focus.selectNodes([key("ab")], key("ab"), key("ab"));
    expect(enabled()).toEqual(["node.deleteSelected"]);
  });

  it("[W53] that fail later are told of", async () => {
    const { workspace, notices } = await openDesk("a");
    workspace.commands.add([
      {
        id: "test.fails",
        label: "Fail",
        group: "look",
        isEnabled: () => true,
        run: () => Promise.reject(new Error("no")),
      },
    ]);
    expect(workspace.commands.run("test.fails")).toBe(true);
    await Promise.resolve();
    await Promise.resolve();
    expect(notices.shown.get().map(({ text }) => text)).toEqual(["“Fail” did not work."]);
  });
});
