import { keyOfDate } from "../../../src/core/calendar/calendar-days.ts";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { Command, CommandTarget } from "../commands/command.ts";
import { keysBesideAltGraph } from "../commands/key-combination.ts";
import { holdFocus } from "../commands/outcome.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import { markText } from "../outline/focus/text-mark.ts";
import { SEARCH_BOX_ID } from "../search/search-box-id.ts";
import { TEXT_SIZES, THEMES } from "../settings/device-preferences.ts";
import { todayOf } from "../state/follow-day.ts";
import type { Cell } from "../state/source.ts";
import { openDay } from "./open-day.ts";
import type { Workspace } from "../state/workspace.ts";

const always = (): boolean => true;

/** A command that opens a dialog. */
function opens(
  base: Omit<Command, "isEnabled" | "run">,
  request: (workspace: Workspace, target: CommandTarget) => DialogRequest | undefined,
): Command {
  return {
    ...base,
    isEnabled: (workspace, target) => request(workspace, target) !== undefined,
    run(workspace, target) {
      const dialog = request(workspace, target);
      if (dialog !== undefined) workspace.dialog.set(dialog);
    },
  };
}

/** What is done with the page and the outline as a whole, and what asks in a dialog first. */
export const PAGE_COMMANDS: readonly Command[] = [
  opens(
    {
      id: "page.jump",
      label: "Jump to…",
      group: "look",
      words: "go open find line node",
      keys: ["Mod+K"],
    },
    () => ({ kind: "jump" }),
  ),
  {
    id: "page.today",
    label: "Today",
    group: "look",
    words: "calendar day journal daily",
    keys: ["Alt+J"],
    macKeys: ["Mod+J"],
    isEnabled: always,
    // It may have begun while the page was open.
    run: (workspace) => openDay(workspace, keyOfDate(todayOf(workspace.replica))),
  },
  {
    id: "view.hideCompleted",
    label: "Hide or show completed",
    group: "look",
    words: "done finished filter",
    keys: ["Mod+Shift+O"],
    macKeys: ["Mod+O"],
    isEnabled: always,
    run({ preferences: { hidesCompleted }, notices }) {
      hidesCompleted.set(!hidesCompleted.get());
      const text = hidesCompleted.get()
        ? "Completed lines are hidden"
        : "Completed lines are shown";
      notices.show(text);
    },
  },
  {
    id: "view.focus",
    label: "Focus on the branch, or on all again",
    group: "look",
    words: "dim mode concentrate zen distraction others",
    ...keysBesideAltGraph("code:KeyF"),
    isEnabled: always,
    run({ preferences: { dimsOthers }, notices }) {
      dimsOthers.set(!dimsOthers.get());
      const text = dimsOthers.get()
        ? "Only the branch with the caret is in focus"
        : "All lines are in focus";
      notices.show(text);
    },
  },
  {
    id: "page.endSearch",
    label: "End the search",
    group: "find",
    keys: ["Escape"],
    isEnabled: ({ rows }) => rows.query.get() !== "",
    run(workspace) {
      const { rows, focus } = workspace;
      const state = focus.state.get();
      rows.search("");
      if (state?.kind !== "text") return;
      rows.reveal(state.id);
      // Behind the rows that were in sight before the search: the line that was found is to be.
      requestAnimationFrame(() => holdFocus(workspace));
    },
  },
  {
    id: "page.search",
    label: "Search",
    group: "find",
    words: "find filter",
    keys: ["Mod+F", "Escape"],
    isEnabled: always,
    run() {
      const box = document.getElementById(SEARCH_BOX_ID);
      if (!(box instanceof HTMLInputElement)) return;
      box.focus();
      box.select();
    },
  },
  opens({ id: "page.palette", label: "All commands…", group: "find", keys: ["Mod+;"] }, () => ({
    kind: "palette",
  })),
  opens(
    {
      id: "text.date",
      label: "Date…",
      group: "format",
      words: "day time calendar due",
      places: ["slash"],
    },
    ({ replica }, { keys: [key], ids: [id], text }) =>
      key === undefined || id === undefined || text === undefined
        ? undefined
        : { kind: "date", id, place: markText(replica, { key, ...text }) },
  ),
  opens(
    {
      id: "page.capture",
      label: "Capture…",
      group: "outline",
      words: "inbox quick add new thought",
      ...keysBesideAltGraph("code:KeyN"),
    },
    () => ({ kind: "capture" }),
  ),
  opens(
    {
      id: "node.star",
      label: "Star…",
      group: "outline",
      words: "shortcut favourite bookmark pin",
      keys: ["Mod+Shift+code:Digit8"],
      places: ["slash", "bullet"],
    },
    (workspace, target) => {
      const key = nodeAtHand(workspace, target);
      return key === undefined ? undefined : { kind: "star", key };
    },
  ),
  opens({ id: "page.trash", label: "Trash…", group: "outline", words: "deleted restore" }, () => ({
    kind: "trash",
  })),
  opens(
    { id: "page.import", label: "Import…", group: "outline", words: "opml markdown file open" },
    ({ rows }) => ({ kind: "import", into: rows.zoom.get() }),
  ),
  opens(
    { id: "page.export", label: "Export…", group: "outline", words: "opml markdown save download" },
    ({ rows }) => ({ kind: "export", from: rows.zoom.get() }),
  ),
  {
    id: "page.print",
    label: "Print",
    group: "outline",
    words: "paper pdf",
    keys: ["Mod+P"],
    isNative: true,
    isEnabled: always,
    run: () => window.print(),
  },
  {
    id: "page.theme",
    label: "Change colours: system, light, dark",
    group: "outline",
    words: "theme night mode",
    isEnabled: always,
    run: ({ preferences, notices }) => {
      const next = stepOf(preferences.theme, THEMES, 1, true);
      notices.announce(`Colours: ${next}`);
    },
  },
  {
    id: "page.largerText",
    label: "Larger text",
    group: "outline",
    words: "font size zoom bigger",
    isEnabled: ({ preferences }) => preferences.textSize.get() !== "large",
    run: ({ preferences }) => void stepOf(preferences.textSize, TEXT_SIZES, 1),
  },
  {
    id: "page.smallerText",
    label: "Smaller text",
    group: "outline",
    words: "font size zoom",
    isEnabled: ({ preferences }) => preferences.textSize.get() !== "small",
    run: ({ preferences }) => void stepOf(preferences.textSize, TEXT_SIZES, -1),
  },
  opens(
    { id: "page.settings", label: "Settings…", group: "outline", words: "options keys sign out" },
    () => ({ kind: "settings" }),
  ),
  opens(
    {
      id: "page.help",
      label: "Help",
      group: "outline",
      words: "keys keyboard",
      keys: ["Mod+/"],
    },
    () => ({ kind: "help" }),
  ),
];

/** The node with the caret, or else the one that is zoomed into. */
function nodeAtHand({ rows }: Workspace, { keys }: CommandTarget): NodeKey | undefined {
  const [key = rows.zoom.get()] = keys;
  return key === ROOT ? undefined : key;
}

function stepOf<T>(cell: Cell<T>, values: readonly T[], step: number, wraps = false): T {
  const at = values.indexOf(cell.get()) + step;
  const next = values[wraps ? (at + values.length) % values.length : at];
  if (next !== undefined) cell.set(next);
  return cell.get();
}
