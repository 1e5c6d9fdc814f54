import type { TextPart } from "../../../lib/edit/edits.ts";
import { caretRect } from "./caret-rect.ts";
import type { TextFocus } from "./focus.ts";
import { factsOf } from "../rows/node-facts.ts";
import { keyOf, type RowId } from "../rows/row-id.ts";
import type { OutlineScreen } from "./outline-screen.ts";

interface Stop {
  readonly id: RowId;
  readonly part: TextPart;
}

type Way = "up" | "down" | "left" | "right";

const WAYS: Readonly<Record<string, Way>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

/** What of the window is no page to be turned: the header, and a line that stays in sight. */
const BESIDE_PAGE_PX = 160;
const LEAST_PAGE_PX = 80;

/** Takes the caret from text to text with the arrow keys, up and down at the same x position. */
export class CaretTravel {
  readonly #screen: OutlineScreen;
  /** Where the caret would be if all lines were long enough, in pixels. */
  #goalX: number | undefined;

  constructor(screen: OutlineScreen) {
    this.#screen = screen;
  }

  /** Anything but going up and down: where the caret is then is where it wants to be. */
  forgetGoal(): void {
    this.#goalX = undefined;
  }

  /** Whether an arrow key without modifiers took the caret to another text. */
  take(key: string): boolean {
    const way = WAYS[key];
    const state = this.#screen.workspace.focus.state.get();
    if (way === undefined || state === undefined) return false;
    if (state.kind === "nodes") {
      return this.#enter(this.#neighbour({ id: state.head, part: "name" }, way), way);
    }
    if (way === "left" || way === "right") {
      this.forgetGoal();
      const along = this.#isRightToLeft(state) ? mirrored(way) : way;
      return this.#isAtEnd(state, along) && this.#enter(this.#neighbour(state, along), along);
    }
    return this.isAtEdge(way) && this.#goVertically(state, way);
  }

  /** A page up or down, as far as there are lines: the caret goes along, and stays in sight. */
  takePage(key: string): boolean {
    const state = this.#screen.workspace.focus.state.get();
    if (state?.kind !== "text" || (key !== "PageUp" && key !== "PageDown")) return false;
    const { rows, focus } = this.#screen.workspace;
    const px = Math.max(LEAST_PAGE_PX, window.innerHeight - BESIDE_PAGE_PX);
    const way = key === "PageDown" ? 1 : -1;
    const from = Math.max(0, rows.indexOf(state.id));
    const to = this.#screen.rowBeyond(from, way * px);
    const row = rows.rows.get()[to];
    if (row === undefined || to === from) return false;
    window.scrollBy({ top: way * px, behavior: "instant" });
    focus.caret(row.id, way === 1 ? "end" : "start");
    return true;
  }

  /** Whether there is no line above or below the caret in its own text. */
  isAtEdge(way: "up" | "down"): boolean {
    const state = this.#screen.workspace.focus.state.get();
    if (state?.kind !== "text") return true;
    const element = this.#screen.elementOf(state.id, state.part);
    if (element === undefined) return true;
    const caret = caretRect(element);
    const box = element.getBoundingClientRect();
    const slack = caret.height * 0.75;
    return way === "up" ? caret.top - box.top < slack : box.bottom - caret.bottom < slack;
  }

  #isRightToLeft({ id, part }: TextFocus): boolean {
    const element = this.#screen.elementOf(id, part);
    return element !== undefined && getComputedStyle(element).direction === "rtl";
  }

  #isAtEnd({ id, part, anchor, head }: TextFocus, way: "left" | "right"): boolean {
    if (anchor !== head) return false;
    const length = this.#screen.workspace.replica.edits.text(keyOf(id), part)?.length ?? 0;
    return way === "left" ? head === 0 : head === length;
  }

  #goVertically(state: TextFocus, way: "up" | "down"): boolean {
    const from = this.#screen.elementOf(state.id, state.part);
    const stop = this.#neighbour(state, way);
    if (from === undefined || stop === undefined) return false;
    const x = this.#goalX ?? caretRect(from).left;
    this.#goalX = x;
    const element = this.#screen.elementOf(stop.id, stop.part);
    if (element === undefined) return this.#enter(stop, way);
    element.scrollIntoView({ block: "nearest" });
    if (!placeCaret(element, x, way)) return this.#enter(stop, way);
    return true;
  }

  #enter(stop: Stop | undefined, way: Way): boolean {
    if (stop === undefined) return false;
    const isForward = way === "down" || way === "right";
    this.#screen.workspace.focus.caret(stop.id, isForward ? "start" : "end", stop.part);
    return true;
  }

  /** The next text in a direction: names and notes of the rows, with the title before them. */
  #neighbour({ id, part }: Stop, way: Way): Stop | undefined {
    const { rows } = this.#screen.workspace;
    const isForward = way === "down" || way === "right";
    if (isForward && part === "name" && this.#hasNote(id)) return { id, part: "note" };
    if (!isForward && part === "note") return { id, part: "name" };
    const zoom = rows.zoom.get();
    const index = id === zoom ? -1 : rows.indexOf(id);
    const next = rows.rows.get()[index + (isForward ? 1 : -1)]?.id;
    if (next !== undefined && (isForward || index >= 0)) {
      return { id: next, part: !isForward && this.#hasNote(next) ? "note" : "name" };
    }
    const isTitleAbove =
      !isForward && index === 0 && this.#screen.elementOf(zoom, "name") !== undefined;
    return isTitleAbove ? { id: zoom, part: this.#hasNote(zoom) ? "note" : "name" } : undefined;
  }

  #hasNote(id: RowId): boolean {
    return factsOf(this.#screen.workspace.replica.outline, keyOf(id)).hasNote;
  }
}

function mirrored(way: "left" | "right"): "left" | "right" {
  return way === "left" ? "right" : "left";
}

/** Puts the caret into the first line (going down) or the last one, as near to x as it gets. */
function placeCaret(element: HTMLElement, x: number, way: "up" | "down"): boolean {
  const box = element.getBoundingClientRect();
  const half = (parseFloat(getComputedStyle(element).lineHeight) || 24) / 2;
  const style = getComputedStyle(element);
  const y =
    way === "down"
      ? box.top + parseFloat(style.paddingTop) + half
      : box.bottom - parseFloat(style.paddingBottom) - half;
  const place = placeAt(Math.min(Math.max(x, box.left + 1), box.right - 2), y);
  if (place === undefined || !element.contains(place.node)) return false;
  element.focus({ preventScroll: true });
  getSelection()?.collapse(place.node, place.offset);
  return true;
}

function placeAt(
  x: number,
  y: number,
): { readonly node: Node; readonly offset: number } | undefined {
  if ("caretPositionFromPoint" in document) {
    const position = document.caretPositionFromPoint(x, y);
    return position === null ? undefined : { node: position.offsetNode, offset: position.offset };
  }
  const range = (document as LegacyDocument).caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

/** Safari had only this one before version 26. */
interface LegacyDocument {
  caretRangeFromPoint?(x: number, y: number): Range | null;
}
