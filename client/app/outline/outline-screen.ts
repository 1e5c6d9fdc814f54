import type { NodeKey } from "../../../src/core/node-key.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import type { Workspace } from "../state/workspace.ts";
import type { InlineEditor } from "../editor/inline-editor.ts";
import type { FocusRequest } from "./focus.ts";

/** An editor that shows a text, and where. */
export interface ShownEditor {
  readonly key: NodeKey;
  readonly part: TextPart;
  readonly element: HTMLElement;
  readonly editor: InlineEditor;
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
  #pending: FocusRequest | undefined;
  #tabStop: HTMLElement | undefined;
  #wasActive = false;
  /** Scrolls the row at an index into sight. */
  scrollToRow: (index: number) => void = () => {};

  constructor(workspace: Workspace) {
    this.workspace = workspace;
    const { focus, rows } = workspace;
    focus.findEditors((key, part) => this.#editors.get(`${key} ${part}`)?.editor);
    this.#stops.push(
      focus.asked.subscribe(() => {
        this.#pending = focus.asked.get();
        // The rows that changed with it are drawn by then.
        queueMicrotask(() => this.#follow());
      }),
      rows.rows.subscribe(() => {
        this.#wasActive = this.contains(document.activeElement);
      }),
    );
    if (focus.state.get()?.kind === "text") this.#pending = focus.asked.get();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  contains(target: EventTarget | null): boolean {
    return target instanceof Node && (this.root?.contains(target) ?? false);
  }

  /** The element that shows a text; undefined while it is not on the screen. */
  elementOf(key: NodeKey, part: TextPart): HTMLElement | undefined {
    return this.#editors.get(`${key} ${part}`)?.element;
  }

  /** Called by each editor when it is there. Answers how to take it off. */
  add(shown: ShownEditor): () => void {
    const name = `${shown.key} ${shown.part}`;
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

  /** Where the caret is on the page: browsers tell of a new place only later. */
  noticeCaret(): void {
    if (this.#pending !== undefined) return;
    const { activeElement } = document;
    for (const { key, part, element, editor } of this.#editors.values()) {
      if (element !== activeElement) continue;
      const range = editor.selection();
      if (range !== undefined) {
        this.workspace.focus.noticed(key, part, range.anchor, range.head);
      }
      return;
    }
  }

  /** After rows were drawn: a row that moved in the page has lost the caret, and gets it back. */
  keepFocus(): void {
    const state = this.workspace.focus.state.get();
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (this.#wasActive && isLost && state !== undefined) {
      this.#pending ??= { state };
      this.#follow();
    }
    this.#wasActive = false;
  }

  #follow(): void {
    const request = this.#pending;
    if (request === undefined) return;
    const { state } = request;
    const key = state.kind === "text" ? state.key : state.head;
    const index = this.workspace.rows.indexOf(key);
    if (state.kind === "nodes") {
      this.#pending = undefined;
      getSelection()?.removeAllRanges();
      this.tree?.focus({ preventScroll: true });
      if (index >= 0) this.scrollToRow(index);
      return;
    }
    const shown = this.#editors.get(`${key} ${state.part}`);
    if (shown === undefined || !shown.element.isConnected) {
      if (index >= 0) this.scrollToRow(index);
      return;
    }
    this.#pending = undefined;
    shown.editor.select(state.anchor, state.head);
    shown.element.scrollIntoView({ block: "nearest" });
  }
}
