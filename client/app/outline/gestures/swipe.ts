import { wayBack } from "../../commands/delete-commands.ts";
import { listen } from "../../state/listen.ts";
import type { Workspace } from "../../state/workspace.ts";
import { rowAt } from "../rows/row-at.ts";
import { keyOf, type RowId } from "../rows/row-id.ts";
import { siblingBefore } from "../rows/row-neighbours.ts";
import { parentIndex } from "../rows/visible-row.ts";

/** A finger that has gone so far sideways means it, and so far does the second thing. */
const BEGIN_PX = 14;
const FIRST_PX = 56;
const SECOND_PX = 132;
/** Sideways is what goes further across than down by this factor. */
const SIDEWAYS = 1.8;
const MOST_PX = 180;

/** What its command is called behind `node.`. */
type Act = "indent" | "outdent" | "complete";

interface Way {
  readonly row: HTMLElement;
  readonly id: RowId;
  readonly pointer: number;
  readonly startX: number;
  readonly startY: number;
  isSideways: boolean;
  act: Act | undefined;
}

/**
 * A finger that goes sideways over a line indents it (to the right), completes it (further to the right)
 * or outdents it (to the left). The line goes along and says what would be done; going back, or scrolling,
 * does nothing. Answers how to stop.
 */
export function followSwipes(workspace: Workspace, root: HTMLElement): () => void {
  let way: Way | undefined;
  let swallowsClick = false;

  const end = (): void => {
    if (way === undefined) return;
    const { row } = way;
    row.style.removeProperty("--swipe");
    delete row.dataset["swipe"];
    way = undefined;
  };
  const stopSwipes = listen(root, {
    pointerdown(event) {
      swallowsClick = false;
      end();
      if (event.pointerType !== "touch" || !event.isPrimary || !(event.target instanceof Element))
        return;
      const row = event.target.closest<HTMLElement>("[role=treeitem]");
      const id = rowAt(row);
      const isMark = event.target.closest("a[data-part], button") !== null;
      if (row === null || id === undefined || isMark) return;
      // Handles of selected text are dragged, too.
      if (getSelection()?.isCollapsed === false && row.contains(document.activeElement)) return;
      const { pointerId: pointer, clientX: startX, clientY: startY } = event;
      way = { row, id, pointer, startX, startY, isSideways: false, act: undefined };
    },
    pointermove(event) {
      if (way === undefined || event.pointerId !== way.pointer) return;
      const across = event.clientX - way.startX;
      const down = event.clientY - way.startY;
      if (!way.isSideways) {
        if (Math.abs(down) > BEGIN_PX && Math.abs(across) < SIDEWAYS * Math.abs(down)) return end();
        if (Math.abs(across) < BEGIN_PX || Math.abs(across) < SIDEWAYS * Math.abs(down)) return;
        way.isSideways = true;
      }
      const act = possibleAct(workspace, actAt(across), way.id);
      if (act !== way.act && act !== undefined) navigator.vibrate?.(8);
      way.act = act;
      way.row.dataset["swipe"] = act ?? "none";
      const shown = Math.max(-MOST_PX, Math.min(MOST_PX, across));
      way.row.style.setProperty("--swipe", `${shown}px`);
    },
    pointerup(event) {
      if (way === undefined || event.pointerId !== way.pointer) return;
      const { isSideways, act, id } = way;
      end();
      swallowsClick = isSideways;
      if (act !== undefined) run(workspace, act, id);
    },
    // The browser has begun to scroll.
    pointercancel: end,
  });
  const swallow = (event: MouseEvent): void => {
    if (!swallowsClick) return;
    swallowsClick = false;
    event.preventDefault();
    event.stopPropagation();
  };
  const stopClicks = listen(root, { click: swallow }, { capture: true });
  return () => {
    end();
    stopSwipes();
    stopClicks();
  };
}

function actAt(across: number): Act | undefined {
  if (across <= -FIRST_PX) return "outdent";
  if (across >= SECOND_PX) return "complete";
  return across >= FIRST_PX ? "indent" : undefined;
}

/** Nothing is promised that can't be done, as for the first line of a list. */
function possibleAct(workspace: Workspace, act: Act | undefined, id: RowId): Act | undefined {
  const { rows } = workspace;
  const [first = id] = swiped(workspace, id);
  const [all, index] = [rows.rows.get(), rows.indexOf(first)];
  if (act === "indent" && siblingBefore(all, index) === undefined) return undefined;
  return act === "outdent" && parentIndex(all, index) === undefined ? undefined : act;
}

/** What a finger on a line does something with: all selected lines when it is one of them. */
function swiped({ focus }: Workspace, id: RowId): readonly RowId[] {
  const state = focus.state.get();
  return state?.kind === "nodes" && state.ids.includes(id) ? state.ids : [id];
}

function run(workspace: Workspace, act: Act, id: RowId): void {
  const { commands, notices, replica } = workspace;
  const command = commands.get(`node.${act}`);
  const ids = swiped(workspace, id);
  const target = { keys: ids.map(keyOf), ids };
  const before = replica.history.last;
  if (command?.isEnabled(workspace, target) !== true) return;
  void command.run(workspace, target);
  if (replica.history.last === before) return;
  const text = { indent: "Indented", outdent: "Outdented", complete: "Completed or reopened" }[act];
  notices.show(text, wayBack(workspace));
}
