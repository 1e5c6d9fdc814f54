import type { VNode } from "preact";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import type { TextPart } from "../../../lib/edit/edits.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { InlineEditor } from "../../editor/inline-editor.ts";
import { SEARCH_BOX_ID } from "../../search/search-box-id.ts";
import { Cell } from "../../state/source.ts";
import { isTouch } from "../../state/is-touch.ts";
import { beforeHidden } from "./before-hidden.ts";
import { scrollToCaret } from "./caret-rect.ts";
import type { FocusRequest, FocusState, NodeFocus, TextFocus } from "./focus.ts";
import { focusOfKept, type KeptFocus, keptFocus } from "./kept-focus.ts";
import type { LeftPlace, RowPlace } from "./left-places.ts";
import type { Row } from "../rows/outline-rows.ts";
import { keyOf, type RowId } from "../rows/row-id.ts";

/** An editor that shows a text, and where. */
export interface ShownEditor {
  readonly id: RowId;
  readonly part: TextPart;
  readonly element: HTMLElement;
  readonly editor: InlineEditor;
}

/** What the page shows below which node. */
interface View {
  readonly zoom: NodeKey;
  readonly rows: readonly Row[];
}

/**
 * Carries the focus of the workspace to the page: into an editor that is shown, or one that will be
 * as soon as its row has been scrolled into sight.
 */
export class OutlineScreen {
  readonly workspace: Workspace;
  readonly #editors = new Map<string, ShownEditor>();
  readonly #stops: (() => void)[] = [];
  /** What holds title and rows. */
  root: HTMLElement | null = null;
  /** What holds the rows; it has the focus of the page while nodes are selected. */
  tree: HTMLElement | null = null;
  /** Becomes the first line: has the focus when there is no text that could have it. */
  firstLine: HTMLElement | null = null;
  #pending: FocusRequest | undefined;
  #tabStop: HTMLElement | undefined;
  /** The focus when a text lost it last. */
  #blurred: { readonly state: FocusState; readonly kept: KeptFocus } = {
    state: undefined,
    kept: undefined,
  };
  /** Whether the focus was in here before the rows changed. */
  #wasActive = false;
  /** The caret as it was before the rows are drawn. */
  #held: TextFocus | undefined;
  /** What was drawn last: who loses a line there goes to the one that was above it. */
  #drawn: View;
  /** Where the view was left that is gone back to, until it is drawn. */
  #left: LeftPlace | undefined;
  /** The row at the upper edge of the window; undefined at the top of the page. */
  rowAtEdge: () => RowPlace | undefined = () => undefined;
  /** What stands beside a row, once it is loaded. */
  readonly beside = new Cell<((key: NodeKey) => VNode) | undefined>(undefined);
  /** Called when something was typed into a line that is not drawn yet. */
  typed: () => void = () => {};
  /** Scrolls a row that is shown to that place. */
  showRowAt: (place: RowPlace) => void = () => {};
  /** Scrolls the row at an index into sight. */
  scrollToRow: (index: number) => void = () => {};
  /** The index of the row that many pixels below (or, negative, above) the top of another. */
  rowBeyond: (index: number, px: number) => number = (index) => index;

  constructor(workspace: Workspace) {
    this.workspace = workspace;
    const { focus, rows } = workspace;
    focus.findEditors((id, part) => this.#editors.get(`${id} ${part}`)?.editor);
    this.#stops.push(
      focus.asked.subscribe(() => {
        this.#pending = focus.asked.get();
        // The rows that changed with it are drawn by then.
        queueMicrotask(() => this.#follow());
      }),
      rows.rows.subscribe(() => {
        if (this.contains(document.activeElement)) this.#wasActive = true;
      }),
      beforeHidden(() => {
        for (const { editor } of this.#editors.values()) editor.keepComposed();
      }),
    );
    this.#drawn = this.#viewNow();
    if (focus.state.get()?.kind === "text") this.#pending = focus.asked.get();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  contains(target: EventTarget | null): boolean {
    return target instanceof Node && (this.root?.contains(target) ?? false);
  }

  /** The element that shows a text; undefined while it is not on the screen. */
  elementOf(id: RowId, part: TextPart): HTMLElement | undefined {
    return this.#editors.get(`${id} ${part}`)?.element;
  }

  /** Called by each editor when it is there. Answers how to take it off. */
  add(shown: ShownEditor): () => void {
    const name = `${shown.id} ${shown.part}`;
    this.#editors.set(name, shown);
    if (this.#tabStop?.isConnected !== true) this.stopTabAt(shown.element);
    if (this.#pending !== undefined) queueMicrotask(() => this.#follow());
    return () => {
      if (this.#editors.get(name) === shown) this.#editors.delete(name);
    };
  }

  /** The one text that the Tab key comes to from outside. */
  stopTabAt(element: HTMLElement): void {
    if (this.#tabStop === element) return;
    if (this.#tabStop !== undefined) this.#tabStop.tabIndex = -1;
    this.#tabStop = element;
    element.tabIndex = 0;
  }

  /**
   * Where the caret is on the page: browsers tell of a new place only later. False when a text has the
   * focus and the caret is elsewhere.
   */
  noticeCaret(): boolean {
    if (this.#pending !== undefined) return true;
    const { activeElement } = document;
    for (const { id, part, element, editor } of this.#editors.values()) {
      if (element !== activeElement) continue;
      const range = editor.selection();
      if (range !== undefined) {
        this.workspace.focus.noticed(id, part, range.anchor, range.head);
      }
      return range !== undefined;
    }
    return true;
  }

  /** How the view would be left now. */
  placeNow(): LeftPlace {
    const row = this.rowAtEdge();
    const caret = this.workspace.focus.state.get();
    return {
      top: window.scrollY,
      ...(row !== undefined && { row }),
      ...(caret?.kind === "text" && { caret }),
    };
  }

  /** Scroll and caret come back as soon as the rows are drawn; undefined: nothing comes back. */
  goBackTo(left: LeftPlace | undefined): void {
    this.#left = left;
  }

  /** Whether nothing has the focus, nor is to have it as soon as it is drawn. */
  isFocusFree(): boolean {
    const { activeElement } = document;
    const state = this.workspace.focus.state.get();
    const isUnused = activeElement === null || activeElement === document.body;
    return isUnused && (state === undefined || !this.#isShown(state));
  }

  /** A text has lost the focus: others may write in it until it has it again. */
  noticeBlur(): void {
    const { focus, replica } = this.workspace;
    const state = focus.state.get();
    this.#blurred = { state, kept: keptFocus(replica, state) };
  }

  /**
   * Gives the focus to what had it last in here, without scrolling: the caret, else the first line where
   * there are no others, else the selected lines. False when there is none of them.
   */
  takeBackFocus(): boolean {
    const { focus, replica } = this.workspace;
    const { activeElement } = document;
    const { state: before, kept } = this.#blurred;
    const now = focus.state.get();
    const state = now === before ? focusOfKept(replica, kept) : now;
    const editor =
      state?.kind === "text" ? this.#editors.get(`${state.id} ${state.part}`) : undefined;
    if (state?.kind === "text" && editor !== undefined) {
      const hasFocus = activeElement === editor.element;
      // What was selected a moment ago is in the page, and nobody has been told.
      const range = hasFocus ? editor.editor.selection() : undefined;
      const { anchor, head } = range ?? state;
      // What was selected is not to be replaced by a letter that was typed elsewhere.
      if (range === undefined || anchor !== head) editor.editor.select(head, head);
      return true;
    }
    const element = this.firstLine ?? (state?.kind === "nodes" ? this.tree : undefined);
    element?.focus({ preventScroll: true });
    return element !== undefined;
  }

  /** The person points somewhere else before it was followed: what was asked for is no longer wished. */
  forgetWish(): void {
    this.#pending = undefined;
  }

  /** Before rows are drawn: nobody may have been told yet where the caret is. */
  holdCaret(): void {
    const { focus } = this.workspace;
    const state = focus.state.get();
    const range = this.#pending === undefined ? focus.editor()?.selection() : undefined;
    this.#held = state?.kind === "text" && range !== undefined ? { ...state, ...range } : undefined;
  }

  /**
   * After rows were drawn: a row that moved in the page has lost the caret, and gets it back. When it is
   * gone, the line that was above it has the caret: what is typed on goes nowhere else unseen.
   */
  keepFocus(): void {
    // The title may be drawn behind the rows.
    queueMicrotask(() => this.#keepFocus());
  }

  #keepFocus(): void {
    const before = this.#drawn;
    const wasActive = this.#wasActive;
    const held = this.#held;
    this.#drawn = this.#viewNow();
    this.#wasActive = false;
    this.#held = undefined;
    this.#takeBackCaret();
    this.#follow();
    if (this.#pending !== undefined) return;
    const state = this.workspace.focus.state.get();
    if (wasActive) this.#keepActive(state, held, before);
    else if (state?.kind === "nodes") this.#forgetUnseen(state, before);
  }

  /** From elsewhere nothing is done with lines that nobody sees. */
  #forgetUnseen({ ids }: NodeFocus, before: View): void {
    const { focus, rows } = this.workspace;
    const all = rows.rows.get();
    const isUnseen = (id: RowId): boolean => all[rows.indexOf(id)]?.isContext !== false;
    if (before.rows !== all && ids.some(isUnseen)) focus.clear();
  }

  #keepActive(state: FocusState, held: TextFocus | undefined, before: View): void {
    if (state?.kind === "nodes" && !this.#keepSelected(state, before)) return;
    const { activeElement } = document;
    const now = this.workspace.focus.editor()?.selection();
    // In Chromium a text that moved in the page keeps the focus, with the caret at its start.
    const isMoved = held !== undefined && (held.anchor !== now?.anchor || held.head !== now.head);
    const isLost = isMoved || activeElement === null || activeElement === document.body;
    const isInTree = activeElement === this.tree && state === undefined;
    if (!isLost && !isInTree) return;
    if (state === undefined) this.#goToEmpty();
    else if (this.#isShown(state)) {
      this.#pending = { state: held ?? state };
      this.#follow();
    } else if (state.kind === "text") this.#goNear(state.id, before);
  }

  #takeBackCaret(): void {
    const caret = this.#left?.caret;
    // A finger that goes back wants no keyboard.
    if (caret === undefined || isTouch() || !this.#isShown(caret)) return;
    const { focus, replica } = this.workspace;
    const length = replica.edits.text(keyOf(caret.id), caret.part)?.length ?? 0;
    const [anchor, head] = [Math.min(caret.anchor, length), Math.min(caret.head, length)];
    focus.selectText(caret.id, caret.part, anchor, head);
  }

  /** Behind the caret, which is scrolled to when it is put somewhere. */
  #takeBackScroll(): void {
    const left = this.#left;
    const isDrawn = this.#drawn.rows === this.workspace.rows.rows.get();
    if (left === undefined || !isDrawn || this.#pending !== undefined) return;
    this.#left = undefined;
    const { row, top } = left;
    if (row !== undefined && this.workspace.rows.indexOf(row.id) >= 0) this.showRowAt(row);
    else window.scrollTo({ top, behavior: "instant" });
  }

  /** Takes what is gone out of the selection. False when that moved the focus. */
  #keepSelected(state: NodeFocus, before: View): boolean {
    const { focus, rows } = this.workspace;
    const left = state.ids.filter((id) => rows.indexOf(id) >= 0);
    if (left.length === state.ids.length) return true;
    const isDown = state.ids.indexOf(state.anchor) <= state.ids.indexOf(state.head);
    if (left.length === 0) this.#goNear(state.ids[0] ?? state.head, before);
    else if (isDown) focus.selectNodes(left);
    else focus.selectNodes(left, left.at(-1), left[0]);
    return false;
  }

  /** The caret goes to the line that was above one that is gone. */
  #goNear(id: RowId, before: View): void {
    const { focus, notices, replica } = this.workspace;
    // Only what others have done: who deletes has put the caret elsewhere.
    if (!replica.outline.has(keyOf(id))) {
      notices.show("The line you were in was deleted.");
    }
    const near = this.#nearest(id, before);
    if (near !== undefined) focus.caret(near, "end");
    else {
      focus.clear();
      this.#goToEmpty();
    }
  }

  #nearest(id: RowId, before: View): RowId | undefined {
    const { rows, zoom } = this.#drawn;
    const shown = new Set(rows.map((row) => row.id));
    if (zoom !== ROOT) shown.add(zoom);
    const at = before.rows.findIndex((row) => row.id === id);
    const above = before.rows.slice(0, Math.max(0, at)).findLast((row) => shown.has(row.id));
    if (above !== undefined) return above.id;
    if (shown.has(before.zoom)) return before.zoom;
    return zoom === ROOT ? rows[0]?.id : zoom;
  }

  #goToEmpty(): void {
    if (this.#drawn.rows.length > 0) return;
    // While something is looked for, its words decide whether there are lines.
    const target = this.firstLine ?? document.getElementById(SEARCH_BOX_ID);
    target?.focus({ preventScroll: true });
  }

  #isShown(state: Exclude<FocusState, undefined>): boolean {
    const { rows } = this.workspace;
    if (state.kind === "nodes") return true;
    return state.id === rows.zoom.get() || rows.indexOf(state.id) >= 0;
  }

  #viewNow(): View {
    const { rows } = this.workspace;
    return { zoom: rows.zoom.get(), rows: rows.rows.get() };
  }

  #follow(): void {
    if (this.#pending !== undefined) this.#followTo(this.#pending);
    this.#takeBackScroll();
  }

  #followTo(request: FocusRequest): void {
    const { state } = request;
    const id = state.kind === "text" ? state.id : state.head;
    const index = this.workspace.rows.indexOf(id);
    if (state.kind === "nodes") {
      this.#pending = undefined;
      getSelection()?.removeAllRanges();
      this.tree?.focus({ preventScroll: true });
      // Who selects with the mouse has it in sight.
      if (index >= 0 && !this.workspace.focus.isHeld) this.scrollToRow(index);
      return;
    }
    const shown = this.#editors.get(`${id} ${state.part}`);
    if (shown === undefined || !shown.element.isConnected) {
      // A wish that can't be followed now must not take the caret away later.
      if (!this.#isShown(state)) this.#pending = undefined;
      else if (index >= 0) this.scrollToRow(index);
      return;
    }
    this.#pending = undefined;
    shown.editor.select(state.anchor, state.head);
    scrollToCaret(shown.element);
  }
}
