import { always, type Figure, noGoal, type RowOf } from "../../bench/bench-group.ts";
import { atMost, type Goal } from "../../bench/goal.ts";
import type { BundleSize } from "./bundle-size.ts";
import type { OutlineFigures } from "./measure-outline.ts";

type Row<Figures> = Omit<RowOf<Figures>, "comparison">;

function absolute<Figures>(row: Row<Figures>): RowOf<Figures> {
  return { ...row, comparison: "absolute" };
}

function measured(reading: Figure["measured"]): Figure {
  return { measured: reading };
}

/** What has to be loaded. */
export const BUNDLE_ROWS: readonly RowOf<BundleSize>[] = [
  absolute({
    id: "first-javascript",
    what: "JavaScript before the rows of the last view are shown, gz",
    unit: "KB",
    goal: always(atMost(75)),
    nextGoal: atMost(18),
    limit: "Preact and the page around the rows; nothing of the outline's model is in it.",
    read: ({ firstKb }) => measured(firstKb),
  }),
  absolute({
    id: "open-javascript",
    what: "JavaScript until the outline can be edited, gz",
    unit: "KB",
    goal: always(atMost(110)),
    nextGoal: atMost(100),
    limit:
      "Model and replica 46, the app 26, Yjs 21, first view 16. What connects to the server, writes anew and reads HTML or markdown comes behind that; merging of texts and undo are needed with the first edit.",
    read: ({ openKb }) => measured(openKb),
  }),
  absolute({
    id: "lazy-javascript",
    what: "largest script that is loaded when it is needed, gz",
    unit: "KB",
    goal: always(atMost(45)),
    nextGoal: atMost(30),
    limit: "The worker that compacts has a Yjs of its own.",
    read: ({ largestLazyKb }) => measured(largestLazyKb),
  }),
];

/** A hundred thousand nodes may take a second, ten thousand a fifth of it. */
function readyGoal(nodes: number): Goal {
  return atMost(nodes <= 10_000 ? 200 : 1000);
}

/** What opening and using an outline costs; CPU is that of the page's main thread. */
export const OUTLINE_ROWS: readonly RowOf<OutlineFigures>[] = [
  absolute({
    id: "first-rows",
    what: "first rows after navigation, by the clock",
    unit: "ms",
    goal: always(atMost(300)),
    nextGoal: atMost(150),
    limit: "Chromium starts the page and its scripts; the rows come from a small record.",
    read: ({ firstRowsMs }) => measured(firstRowsMs),
  }),
  absolute({
    id: "ready",
    what: "ready to edit and told that all is saved, CPU",
    unit: "ms",
    goal: readyGoal,
    limit: "Yjs reading one text for each node: alone it takes 660 to 890 ms at 100,000 nodes.",
    read: ({ readyCpuMs }) => measured(readyCpuMs),
  }),
  absolute({
    id: "longest-task",
    what: "longest task meanwhile, by the clock (0: none over 50)",
    unit: "ms",
    goal: always(atMost(200)),
    nextGoal: atMost(100),
    limit: "One piece of the stored state is read in one go.",
    read: ({ longestTaskMs }) => measured(longestTaskMs),
  }),
  absolute({
    id: "page-heap",
    what: "heap of the page",
    unit: "MB",
    goal: always(atMost(150)),
    nextGoal: atMost(100),
    limit: "Yjs' structs and the index, as on the server.",
    read: ({ heapMb }) => measured(heapMb),
  }),
  absolute({
    id: "keystroke-page",
    what: "a keystroke, 33 a second, CPU",
    unit: "ms",
    goal: always(atMost(4)),
    floor: "thirty bare lines of contenteditable",
    limit:
      "Half is the browser's own, as in the floor. Of the rest our scripts are 0.6 to 1.3 ms (the model, the store and the connection of the last key among them); layout, hit test, style and compositing of a page with rows and a status line are the others.",
    read: ({ keystrokeCpuMs, bareKeystrokeCpuMs }) => ({
      measured: keystrokeCpuMs,
      floor: bareKeystrokeCpuMs,
    }),
  }),
  absolute({
    id: "keystroke-paint",
    what: "a keystroke until it is painted, p95, by the clock",
    unit: "ms",
    goal: always(atMost(20)),
    limit: "The next frame: up to 16.7 ms.",
    read: ({ keystrokePaintP95Ms }) => measured(keystrokePaintP95Ms),
  }),
  absolute({
    id: "enter",
    what: "Enter, CPU",
    unit: "ms",
    goal: always(atMost(12)),
    limit: "A row comes into the page and all below it move: style and layout of what is in sight.",
    read: ({ enterCpuMs }) => measured(enterCpuMs),
  }),
  absolute({
    id: "tab",
    what: "Tab, CPU",
    unit: "ms",
    goal: always(atMost(12)),
    limit: "As Enter.",
    read: ({ tabCpuMs }) => measured(tabCpuMs),
  }),
  absolute({
    id: "collapse-all",
    what: "collapse all, CPU",
    unit: "ms",
    goal: always(atMost(40)),
    nextGoal: atMost(25),
    limit:
      "Style and layout of the rows that come into sight; closing the list of commands that it was chosen from.",
    read: ({ collapseAllCpuMs }) => measured(collapseAllCpuMs),
  }),
  absolute({
    id: "expand-all",
    what: "expand all, CPU",
    unit: "ms",
    goal: always(atMost(40)),
    limit: "The rows in sight are drawn twice: where the page was, and where the caret is.",
    read: ({ expandAllCpuMs }) => measured(expandAllCpuMs),
  }),
  absolute({
    id: "search-key",
    what: "search as one types, a key, CPU",
    unit: "ms",
    goal: always(atMost(20)),
    limit:
      "The first letter finds nearly all nodes, which all get rows; later ones look only at what was found before.",
    read: ({ searchCpuMs }) => measured(searchCpuMs),
  }),
  absolute({
    id: "search-changed",
    what: "the first search for what has changed, its last key, CPU",
    unit: "ms",
    goal: noGoal,
    limit: "The times of all pieces of all texts are read once, in slices while one types.",
    read: ({ searchChangedCpuMs }) => measured(searchChangedCpuMs),
  }),
  absolute({
    id: "most-rows",
    what: "most rows in the page",
    unit: "",
    goal: always(atMost(70)),
    nextGoal: atMost(50),
    limit: "The window and 240 pixels on both sides of it.",
    read: ({ mostRows }) => measured(mostRows),
  }),
  absolute({
    id: "reconnect-page",
    what: "reconnect until converged, by the clock",
    unit: "ms",
    goal: always(atMost(1000)),
    limit: "The first try waits 100 to 200 ms, so that not all come at once.",
    read: ({ reconnectMs }) => measured(reconnectMs),
  }),
  absolute({
    id: "idle-wakeups",
    what: "timers and frames in 5 s of doing nothing",
    unit: "",
    goal: always(atMost(0)),
    limit: "",
    read: ({ idleWakeups }) => measured(idleWakeups),
  }),
];
