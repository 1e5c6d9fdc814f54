import type * as Y from "yjs";
import { layoutOf } from "../../../src/core/node/node-reader.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Formats, RichText } from "../../../src/core/text/rich-text.ts";
import type { EditRefusal, TextPart } from "../../lib/edit/edits.ts";
import { formatsForTyping } from "../../lib/edit/typed-text.ts";
import type { Replica } from "../../lib/replica.ts";
import { askedByClick, type ClickListeners } from "./asked-by-click.ts";
import { Halves } from "./halves.ts";
import { hasFormat } from "./runs-in.ts";
import { type InputAction, inputAction, isPlainInput } from "./input-action.ts";
import type { InlineEditor, TextRange } from "./inline-editor.ts";
import { MarkdownTyping } from "./markdown-typing.ts";
import { selectIn, selectionIn, targetIn } from "./page-selection.ts";
import { PaintedText } from "./painted-text.ts";
import { PendingFormats } from "./pending-formats.ts";
import { editAmong, offsetAmong } from "./place-among.ts";
import { segmentsOf } from "./segments.ts";
import { type DeltaStep, differenceAtCaret, offsetAfter, rangeAfter } from "./text-difference.ts";
import { type FormatName, mayCloseMarkdown } from "./typed-markdown.ts";

export interface TextEditorOptions extends ClickListeners {
  readonly key: NodeKey;
  readonly part: TextPart;
  /** Told to the history with each caret. */
  readonly via?: string;
  readonly replica: Pick<Replica, "outline" | "edits" | "history">;
  /** What was typed was not taken; the text is as it was. */
  readonly onRefused?: (refusal: EditRefusal, typed: string) => void;
  /** Called when the selection in the text has changed, by whatever. */
  readonly onSelection?: (range: TextRange) => void;
  readonly onFocus?: () => void;
  readonly onBlur?: () => void;
  /** Enter that did not come as a key (phones); in a note, where it ends a line, it never comes. */
  readonly onBreak?: () => void;
  /** Deleting across an edge of the text that did not come as a key (phones). */
  readonly onJoin?: (direction: "before" | "after") => void;
  /** Undo or redo from a menu or a gesture. */
  readonly onHistory: (direction: "undo" | "redo") => void;
}

/**
 * Edits one text where it stands. The browser does the editing, so that input methods, spell checkers
 * and dead keys work as everywhere; what it has made of the page is compared with what the text was
 * (`#shadow`), and the difference goes into the document. While an input method composes, the page is
 * not touched: changes by others wait, and what was composed goes to where it belongs among them.
 */
export class TextEditor implements InlineEditor {
  readonly #element: HTMLElement;
  readonly #options: TextEditorOptions;
  readonly #painted: PaintedText;
  readonly #markdown: MarkdownTyping;
  readonly #listening = new AbortController();
  /** Many elements bring it along: for each change of it Chromium works out the styles of the page. */
  readonly #wasEditable: boolean;
  #source: Y.Text | undefined;
  readonly #stopOutline: () => void;
  /** The text as the page had it when page and document last agreed. */
  #shadow = "";
  #isComposing = false;
  /** Changes by others that the page does not show yet. */
  #waiting: (readonly DeltaStep[])[] = [];
  #isTyping = false;
  readonly #pending = new PendingFormats();
  readonly #halves = new Halves();
  #lastSelection: TextRange | undefined;

  constructor(element: HTMLElement, options: TextEditorOptions) {
    this.#element = element;
    this.#options = options;
    this.#wasEditable = element.contentEditable === "true";
    if (!this.#wasEditable) element.contentEditable = "true";
    element.classList.add("rich-text");
    this.#painted = new PaintedText(element);
    this.#markdown = new MarkdownTyping(options.key, options.part, options.replica);
    this.#stopOutline = options.replica.outline.onChange(({ nodes }) => {
      if (nodes.has(options.key)) this.#follow();
    });
    this.#findSource();
    // Where the selection is, nobody asks for each of the rows that come at once: it costs a layout.
    this.#show(undefined);
    this.#listen();
  }

  get isComposing(): boolean {
    return this.#isComposing;
  }

  select(anchor: number, head: number): void {
    this.#element.focus({ preventScroll: true });
    selectIn(this.#element, { anchor, head });
    this.#tellSelection();
  }

  selection(): TextRange | undefined {
    return selectionIn(this.#element);
  }

  toggle(format: FormatName): void {
    const range = this.selection();
    if (range === undefined || this.#isComposing) return;
    const [from, to] = [Math.min(range.anchor, range.head), Math.max(range.anchor, range.head)];
    if (from === to) {
      this.#pending.toggle(from, format, this.#formatsAt(from, from));
      return;
    }
    const { key, part, replica } = this.#options;
    const isOn = hasFormat(this.#runs(), from, to, format);
    replica.edits.format(key, part, { from, to }, format, isOn ? null : true);
  }

  /** Puts text in the place of the selection, or of a range, and the caret behind it. */
  #insert(text: string, range = this.selection()): void {
    if (range === undefined || this.#isComposing) return;
    const at = Math.min(range.anchor, range.head);
    const remove = Math.max(range.anchor, range.head) - at;
    this.#type({ at, remove, insert: text });
    this.#show({ anchor: at + text.length, head: at + text.length });
  }

  keepComposed(): void {
    if (!this.#isComposing) return;
    // What others wrote has to be drawn with it, which ends what is composed.
    if (this.#waiting.length > 0) return this.#endComposition();
    const { text } = this.#painted;
    const caret = this.selection()?.head ?? this.#shadow.length;
    const typed = differenceAtCaret(this.#shadow, text, caret);
    if (typed !== undefined) this.#type(typed);
    this.#shadow = text;
  }

  dispose(): void {
    // The line is no longer shown here, but what is being composed in it was written all the same.
    if (this.#isComposing) this.#endComposition();
    this.#listening.abort();
    this.#stopOutline();
    this.#source?.unobserve(this.#onTextChange);
    this.#source = undefined;
    if (!this.#wasEditable) this.#element.contentEditable = "inherit";
  }

  #follow(): void {
    this.#findSource();
    if (this.#isTyping || this.#isComposing) return;
    this.#show(this.selection());
  }

  /** Finds the text of the document that is to be shown, which may have become another. */
  #findSource(): void {
    const { key, part, replica } = this.#options;
    const source = replica.edits.text(key, part);
    if (source !== this.#source) {
      this.#source?.unobserve(this.#onTextChange);
      this.#source = source;
      source?.observe(this.#onTextChange);
    }
  }

  #listen(): void {
    const { signal } = this.#listening;
    const element = this.#element;
    element.addEventListener("beforeinput", (event) => this.#onBeforeInput(event), { signal });
    element.addEventListener("input", () => this.#takeIn(), { signal });
    element.addEventListener("compositionstart", () => (this.#isComposing = true), { signal });
    element.addEventListener("compositionend", () => this.#endComposition(), { signal });
    element.addEventListener("click", (event) => this.#onClick(event), { signal });
    element.addEventListener("focus", () => this.#onFocus(), { signal });
    element.addEventListener("blur", () => this.#onBlur(), { signal });
    signal.addEventListener("abort", () => this.#followSelection(false));
    // An element may have had another editor before.
    if (element.ownerDocument.activeElement === element) this.#onFocus();
  }

  #onFocus(): void {
    this.#joinNotes();
    this.#followSelection(true);
    this.#options.onFocus?.();
  }

  #onBlur(): void {
    this.#followSelection(false);
    if (this.#isComposing) this.#endComposition();
    this.#pending.clear();
    this.#lastSelection = undefined;
    this.#options.onBlur?.();
  }

  /** Of all editors on the page only the one with the focus listens. */
  #followSelection(isOn: boolean): void {
    const page = this.#element.ownerDocument;
    if (isOn) page.addEventListener("selectionchange", this.#onSelectionChange);
    else page.removeEventListener("selectionchange", this.#onSelectionChange);
  }

  readonly #onSelectionChange = (): void => this.#tellSelection();

  readonly #onTextChange = (event: Y.YTextEvent): void => {
    if (this.#isTyping) return;
    if (this.#isComposing) {
      this.#waiting.push(event.delta);
      return;
    }
    const { delta } = event;
    const selection = this.selection();
    this.#pending.move((at) => offsetAfter(delta, at));
    this.#show(selection && rangeAfter(delta, selection));
  };

  #onBeforeInput(event: InputEvent): void {
    if (this.#isComposing) {
      // The input method may change the text; nobody may cut it in two now.
      if (!isPlainInput(event.inputType)) event.preventDefault();
      return;
    }
    this.#putRight();
    const whole = this.#halves.take(event.data);
    if (whole !== undefined) {
      event.preventDefault();
      if (whole !== "") this.#insert(whole);
      return;
    }
    const range = this.selection();
    if (range !== undefined) this.#tellCaret(range);
    const action = inputAction(event, {
      isMultiline: this.#isMultiline(),
      range,
      length: this.#shadow.length,
    });
    if (action.kind === "browser") return;
    event.preventDefault();
    this.#act(action, event);
  }

  /** What something else has written onto the page, as extensions do, was typed by nobody. */
  #putRight(): void {
    if (this.#painted.text !== this.#shadow) this.#show(this.selection());
  }

  #act(action: Exclude<InputAction, { kind: "browser" }>, event: InputEvent): void {
    switch (action.kind) {
      case "insert":
        return this.#insert(action.text, targetIn(this.#element, event));
      case "break":
        return this.#options.onBreak?.();
      case "join":
        return this.#options.onJoin?.(action.direction);
      case "history":
        return this.#options.onHistory(action.direction);
      case "format":
        return this.toggle(action.format);
      case "nothing":
        return;
    }
  }

  #endComposition(): void {
    this.#isComposing = false;
    this.#takeIn();
  }

  /** Takes what the browser has made of the page into the document. */
  #takeIn(): void {
    if (this.#isComposing) return;
    // When the focus has gone already, it must not be brought back.
    const selection = this.selection();
    const caret = selection?.head ?? this.#shadow.length;
    const typed = differenceAtCaret(this.#shadow, this.#painted.text, caret);
    const waiting = this.#waiting;
    this.#waiting = [];
    const show = (head: number): void => {
      const isMoved = waiting.length > 0 && selection !== undefined;
      this.#show(isMoved ? { anchor: head, head } : selection);
    };
    if (typed === undefined) {
      // A composition that was given up, or a key that changed nothing.
      show(offsetAmong(waiting, caret));
      return;
    }
    const { edits, head } = editAmong(waiting, typed, caret);
    for (const edit of edits) this.#type(edit);
    show(head);
    if (selection === undefined) return;
    this.#tellCaret({ anchor: head, head });
    if (typed.remove === 0 && mayCloseMarkdown(typed.insert)) {
      this.#readMarkdown(head, typed.insert);
    }
  }

  #readMarkdown(caret: number, typed: string): void {
    const runs = this.#runs();
    const done = this.#markdown.read({ runs, text: this.#shadow, caret, typed });
    if (done === undefined) return;
    this.#show({ anchor: done.caret, head: done.caret });
    this.#pending.setOff(done.caret, done.off);
    this.#tellSelection();
  }

  #type(edit: { readonly at: number; readonly remove: number; readonly insert: string }): void {
    const { key, part, replica } = this.#options;
    const usual = this.#formatsAt(edit.at, edit.at + edit.remove);
    const formats = this.#pending.over(edit.at, usual);
    this.#isTyping = true;
    try {
      const result = replica.edits.type(key, part, formats ? { ...edit, formats } : edit);
      if (result.kind !== "ok") this.#options.onRefused?.(result, edit.insert);
    } finally {
      this.#isTyping = false;
    }
    if (edit.insert !== "") this.#pending.clear();
    if (this.#source === undefined) this.#follow();
  }

  /** Brings the page in line with the document, and the selection to where it belongs. */
  #show(selection: TextRange | undefined): void {
    const runs = this.#runs();
    const segments = segmentsOf(runs, this.#isLiteral());
    const isTouched = this.#painted.paint(segments);
    this.#shadow = runs.map((run) => run.insert).join("");
    // A selection that is left behind here would take the focus away from where it is now.
    const hasFocus = this.#element.ownerDocument.activeElement === this.#element;
    if (selection === undefined || !hasFocus) return;
    const now = this.selection();
    const isThere = now?.anchor === selection.anchor && now.head === selection.head;
    if (isTouched || !isThere) selectIn(this.#element, selection);
  }

  #runs(): RichText {
    const { key, part, replica } = this.#options;
    return replica.outline.richText(key, part);
  }

  /** What is typed in the place of a range gets by itself. */
  #formatsAt(from: number, to: number): Formats {
    return this.#source === undefined ? {} : formatsForTyping(this.#source, from, to);
  }

  #isLiteral(): boolean {
    const { part } = this.#options;
    return part === "name" && this.#source !== undefined && layoutOf(this.#source) === "code-block";
  }

  #isMultiline(): boolean {
    return this.#options.part === "note" || this.#isLiteral();
  }

  /** Makes one note of what several people began, before it is edited. */
  #joinNotes(): void {
    const { key, part, replica } = this.#options;
    if (part !== "note" || this.#source === undefined) return;
    if (this.#source.length !== this.#shadow.length) replica.edits.text(key, part, true);
  }

  #tellSelection(): void {
    const range = this.#isComposing ? undefined : this.selection();
    if (range === undefined) return;
    const last = this.#lastSelection;
    if (last?.anchor === range.anchor && last.head === range.head) return;
    this.#pending.keepAt(range);
    this.#lastSelection = range;
    this.#tellCaret(range);
    this.#options.onSelection?.(range);
  }

  #tellCaret({ head }: TextRange): void {
    const { key, part, replica, via = "" } = this.#options;
    replica.history.caretAt({ key, part, at: head, ...(via !== "" && { via }) });
  }

  #onClick(event: MouseEvent): void {
    const act = askedByClick(this.#element, event.target, this.#options);
    const range = this.selection();
    // Who drags over a link selects it.
    if (act === undefined || range?.anchor !== range?.head) return;
    event.preventDefault();
    act();
  }
}
