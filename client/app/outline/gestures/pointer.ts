import { moveTo } from "../../commands/indent-commands.ts";
import { holdFocus } from "../../commands/outcome.ts";
import { listen } from "../../state/listen.ts";
import { Cell } from "../../state/source.ts";
import { type DropPlace, dropPlaceAt } from "./drop-place.ts";
import { depthAt, type IndentMeasures, indentOf } from "./indents.ts";
import type { OutlineScreen } from "../focus/outline-screen.ts";
import { rowAt } from "../rows/row-at.ts";
import { keyOf, type RowId } from "../rows/row-id.ts";
import { selectRowsBetween } from "../focus/select-rows.ts";

/** The line that shows where dragged rows would land, in pixels within the rows. */
export interface DropMark {
  readonly top: number;
  /** From the edge at which the lines around it begin. */
  readonly start: number;
  readonly isRightToLeft: boolean;
}

/** The line whose menu is open, and where that is on the screen. */
export interface OpenBullet {
  readonly id: RowId;
  readonly x: number;
  readonly y: number;
}

interface Drag {
  readonly ids: readonly RowId[];
  readonly pointer: number;
  readonly startX: number;
  readonly startY: number;
  /** A finger has rested on it for long enough. */
  isHeld: boolean;
  isMoving: boolean;
  place: DropPlace | undefined;
}

/** So far the pointer may tremble before a press is a drag. */
const TREMBLE_PX = 5;
/** So long a finger rests on a bullet until it holds the row. */
const HOLD_MS = 350;
/** From here to the edge of the window it scrolls while something is dragged; the header is as high. */
const SCROLL_ZONE_PX = 56;
/** In a frame. */
const SCROLL_STEP_PX = 10;

/** Dragging bullets, dragging over rows to select them, and clicks that extend a selection. */
export class Pointer {
  readonly mark = new Cell<DropMark | undefined>(undefined);
  readonly menu = new Cell<OpenBullet | undefined>(undefined);
  readonly #screen: OutlineScreen;
  #drag: Drag | undefined;
  /** Where the pointer is now. */
  #at = { x: 0, y: 0 };
  #hold: ReturnType<typeof setTimeout> | undefined;
  /** The frame in which it scrolls on. */
  #frame: number | undefined;
  /** The row in which a selection with the mouse began. */
  #selectsFrom: RowId | undefined;
  /** What was pressed last with: a device may have both, whatever it says of itself. */
  #isFinger = false;
  /** The click that ends a drag opens nothing. */
  #swallowsClick = false;

  constructor(screen: OutlineScreen) {
    this.#screen = screen;
  }

  /** Answers how to stop. */
  listen(root: HTMLElement): () => void {
    // A finger that holds a row moves the row and not the page.
    const still = (event: TouchEvent): void => {
      if (this.#drag?.isHeld === true) event.preventDefault();
    };
    // No click follows a finger that held a row: it would choose what has opened under it.
    const lift = (event: TouchEvent): void => {
      if (this.#swallowsClick && event.cancelable) event.preventDefault();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || this.#drag?.isMoving !== true) return;
      event.preventDefault();
      this.#swallowsClick = true;
      this.#cancel();
    };
    const stops = [
      () => this.#cancel(),
      listen(root, {
        pointerdown: (event) => this.#down(event),
        contextmenu: (event) => this.#openMenu(event),
      }),
      listen(root, { click: (event) => this.#click(event) }, { capture: true }),
      listen(root, { touchmove: still, touchend: lift }, { passive: false }),
      listen(window, {
        pointermove: (event) => this.#move(event),
        pointerup: () => this.#up(),
        pointercancel: () => this.#cancel(),
        // Other rows are under the pointer then.
        scroll: () => {
          this.#show();
          if (this.#screen.workspace.focus.isHeld) this.#selectOver();
        },
      }),
      listen(document, { keydown: escape }, { capture: true }),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #down(event: PointerEvent): void {
    this.#swallowsClick = false;
    this.#isFinger = event.pointerType === "touch";
    const target = event.target instanceof Element ? event.target : undefined;
    const id = rowAt(event.target);
    if (event.button !== 0 || target === undefined || id === undefined) return;
    if (target.closest("[data-part=bullet]") !== null) return this.#grasp(event, id);
    if (target.closest("button, [data-part=backlinks]") !== null) {
      // A button must not take the caret away.
      event.preventDefault();
      return;
    }
    if (event.pointerType === "touch") return;
    const state = this.#screen.workspace.focus.state.get();
    const from = state?.kind === "text" ? state.id : state?.anchor;
    if (event.shiftKey && from !== undefined && from !== id) {
      event.preventDefault();
      selectRowsBetween(this.#screen.workspace, from, id);
      return;
    }
    this.#selectsFrom = id;
  }

  #grasp(event: PointerEvent, id: RowId): void {
    const state = this.#screen.workspace.focus.state.get();
    const isSelected = state?.kind === "nodes" && state.ids.includes(id);
    const drag: Drag = {
      ids: isSelected ? state.ids : [id],
      pointer: event.pointerId,
      startX: event.clientX,
      startY: event.clientY,
      isHeld: false,
      isMoving: false,
      place: undefined,
    };
    this.#drag = drag;
    if (event.pointerType !== "touch") {
      // Else the press would take the caret out of its text.
      event.preventDefault();
      return;
    }
    this.#hold = setTimeout(() => {
      drag.isHeld = true;
      this.#screen.tree?.querySelector(`[data-key="${id}"]`)?.toggleAttribute("data-held", true);
      navigator.vibrate?.(10);
    }, HOLD_MS);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (drag !== undefined && event.pointerId !== drag.pointer) return;
    this.#at = { x: event.clientX, y: event.clientY };
    if (drag === undefined) {
      if (this.#selectsFrom === undefined) return;
      if (event.buttons !== 1) return this.#up();
      this.#selectOver();
      if (this.#frame === undefined) this.#scroll();
      return;
    }
    const way = Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY);
    if (!drag.isMoving && way > TREMBLE_PX) {
      // A finger that moves before it held the row scrolls.
      if (event.pointerType === "touch" && !drag.isHeld) return this.#cancel();
      drag.isMoving = true;
    }
    if (!drag.isMoving) return;
    if (this.#frame === undefined) this.#scroll();
    this.#show();
  }

  /** Scrolls for as long as what is dragged, or selects, is held at an edge of the window. */
  #scroll(): void {
    this.#frame = undefined;
    if (this.#drag?.isMoving !== true && !this.#screen.workspace.focus.isHeld) return;
    const { y } = this.#at;
    const isAtEnd = y > innerHeight - SCROLL_ZONE_PX;
    if (!isAtEnd && y >= SCROLL_ZONE_PX) return;
    window.scrollBy(0, isAtEnd ? SCROLL_STEP_PX : -SCROLL_STEP_PX);
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  /** Dragging out of a text selects rows. */
  #selectOver(): void {
    const from = this.#selectsFrom;
    const y = Math.max(SCROLL_ZONE_PX, Math.min(this.#at.y, innerHeight - 1));
    const id = rowAt(document.elementFromPoint(this.#at.x, y));
    const { workspace } = this.#screen;
    const { focus } = workspace;
    if (from === undefined || id === undefined || (id === from && !focus.isHeld)) return;
    // Safari goes on to put carets under the mouse.
    focus.isHeld = true;
    selectRowsBetween(workspace, from, id);
  }

  /** Shows where the rows would go. */
  #show(): void {
    const { tree } = this.#screen;
    const drag = this.#drag;
    if (tree === null || drag?.isMoving !== true) return;
    this.mark.set(this.#aim(drag, tree));
    tree.dataset["dragging"] = "true";
    for (const each of tree.querySelectorAll<HTMLElement>("[data-key]")) {
      const isDragged = drag.ids.some((id) => id === each.dataset["key"]);
      each.toggleAttribute("data-dragged", isDragged);
    }
  }

  /** Works out where the rows would go. Answers where that is on the page. */
  #aim(drag: Drag, tree: HTMLElement): DropMark {
    const { rows } = this.#screen.workspace;
    const { x, y } = this.#at;
    const box = tree.getBoundingClientRect();
    const shown = [...tree.querySelectorAll<HTMLElement>("[data-key]")]
      .map((element) => ({
        element,
        index: Number(element.dataset["index"]),
        box: element.getBoundingClientRect(),
      }))
      .sort((a, b) => a.index - b.index);
    const last = shown.at(-1);
    const over = shown.find((each) => y < each.box.top + each.box.height / 2);
    const gap = over?.index ?? (last?.index ?? -1) + 1;
    const measures = measuresOf(tree, box.width);
    const beside = over ?? last;
    const isRightToLeft =
      beside !== undefined && getComputedStyle(beside.element).direction === "rtl";
    const depth = depthAt(isRightToLeft ? box.right - x : x - box.left, measures);
    const place = dropPlaceAt(rows.rows.get(), rows.zoom.get(), gap, depth, new Set(drag.ids));
    drag.place = place;
    const below = shown.find(({ index }) => index === place.gap);
    const edge = below?.box.top ?? last?.box.bottom ?? box.top;
    return { top: edge - box.top, start: indentOf(place.depth, measures), isRightToLeft };
  }

  /** A right click on a bullet, or a finger that rests there: then the row is held as well. */
  #openMenu(event: MouseEvent): void {
    const id = rowAt(bulletOf(event));
    if (id === undefined) return;
    event.preventDefault();
    if (this.#drag === undefined) this.#showMenu(id, event.clientX, event.clientY);
  }

  #showMenu(id: RowId, x: number, y: number): void {
    const { focus } = this.#screen.workspace;
    const state = focus.state.get();
    const isSelected = state?.kind === "nodes" && state.ids.includes(id);
    if (!isSelected) focus.selectNodes([id], id, id);
    this.menu.set({ id, x, y });
  }

  #up(): void {
    const drag = this.#drag;
    this.#selectsFrom = undefined;
    if (drag?.isHeld === true && !drag.isMoving) {
      this.#swallowsClick = true;
      const [id] = drag.ids;
      if (id !== undefined) this.#showMenu(id, drag.startX, drag.startY);
    } else if (drag?.isMoving === true && drag.place !== undefined) {
      this.#swallowsClick = true;
      const { workspace } = this.#screen;
      const { parent } = drag.place.to;
      const { rows } = workspace;
      if (rows.rows.get()[rows.indexOf(parent)]?.isExpanded === false)
        rows.setCollapsed([parent], false);
      moveTo(workspace, drag.ids, drag.place.to);
    }
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#hold);
    this.#drag = undefined;
    this.mark.set(undefined);
    const { tree, workspace } = this.#screen;
    if (workspace.focus.isHeld) {
      workspace.focus.isHeld = false;
      holdFocus(workspace);
    }
    if (tree === null) return;
    delete tree.dataset["dragging"];
    for (const each of tree.querySelectorAll<HTMLElement>("[data-held], [data-dragged]")) {
      delete each.dataset["held"];
      delete each.dataset["dragged"];
    }
  }

  #click(event: MouseEvent): void {
    const bullet = bulletOf(event);
    if (bullet === null) return;
    if (this.#swallowsClick) {
      event.preventDefault();
      event.stopPropagation();
      this.#swallowsClick = false;
      return;
    }
    // With a modifier the browser opens the node in a tab or window of its own.
    const id = rowAt(bullet);
    if (id === undefined || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    const { focus, rows } = this.#screen.workspace;
    if (this.#isFinger) {
      // A caret would bring up the keyboard, for somebody who only reads.
      const { activeElement } = document;
      if (this.#screen.contains(activeElement)) (activeElement as HTMLElement | null)?.blur();
      focus.clear();
    }
    rows.zoomTo(keyOf(id), { caret: !this.#isFinger });
  }
}

function bulletOf({ target }: MouseEvent): Element | null {
  return target instanceof Element ? target.closest("[data-part=bullet]") : null;
}

/** @param width of the rows, in pixels */
function measuresOf(tree: HTMLElement, width: number): IndentMeasures {
  const style = getComputedStyle(tree);
  // The style sheet sets these, which mean nothing else to an element that is no grid.
  const edge = parseFloat(style.rowGap) || 0;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  const numberOf = (name: string): number => parseFloat(style.getPropertyValue(name)) || 0;
  return {
    start: edge * 0.75,
    step: parseFloat(style.columnGap) || 28,
    wholeSteps: numberOf("--whole-steps"),
    smallStep: numberOf("--small-step") * rem,
    most: Math.max(0, width - edge - numberOf("--least-text") * rem),
  };
}
