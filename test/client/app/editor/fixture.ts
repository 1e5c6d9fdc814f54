import * as Y from "yjs";
import type { TextRange } from "../../../../client/app/editor/inline-editor.ts";
import { TextEditor } from "../../../../client/app/editor/text-editor.ts";
import type { Edits } from "../../../../client/lib/edit/edits.ts";
import { ReadOnlyEdits } from "../../../../client/lib/read-only-edits.ts";
import { LocalEdits } from "../../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../../client/lib/edit/undo-history.ts";
import { ROOT, type OutlineId } from "../../../../src/core/node-key.ts";
import { Outline } from "../../../../src/core/outline.ts";
import { htmlOfRichText } from "../../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../../src/core/text/html.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";

/** What a test sees of the page. */
export interface PageState {
  /** The text as HTML, as the document has it. */
  readonly html: string;
  /** The characters that the element shows. */
  readonly shown: string;
  readonly selection: TextRange | undefined;
}

/** What letters that are typed cost: changes of nodes of the page, and bytes of updates of the document. */
interface InputCost {
  readonly letters: number;
  readonly nodes: number;
  readonly bytes: number;
}

type Part = "name" | "note";

/** No markdown: what is typed is what is expected. */
const TYPED = ["a", "bc", ".", "#x", "é", "日本", "x y z"];

/** Runs in the page: one node with an editor for its name and one for its note, and a second device. */
export class Fixture {
  readonly told: string[] = [];
  key = ROOT;
  isReadOnly = false;
  #editors: TextEditor[] = [];
  #here = attached(10);
  #there = attached(20);
  #history = this.#makeHistory();
  #edits = this.#makeEdits();
  #inputCost: InputCost = { letters: 0, nodes: 0, bytes: 0 };
  #changes = 0;
  readonly #observer = new MutationObserver((records) => (this.#changes += records.length));

  /** Begins anew with a node. */
  open(name: string, note = "", layout: "bullets" | "code-block" = "bullets"): void {
    for (const editor of this.#editors) editor.dispose();
    this.told.length = 0;
    this.#history.close();
    this.#here = attached(10);
    this.#there = attached(20);
    const content = {
      name: richTextOfHtml(name, layout === "code-block" ? "code" : "kept"),
      note: richTextOfHtml(note),
      layout,
    };
    this.key = this.#there.createPlain({ parent: ROOT, ...content });
    this.sync();
    this.#history = this.#makeHistory();
    this.#edits = this.#makeEdits();
    const editable = this.#edits;
    const readOnly = new ReadOnlyEdits((key, part) => editable.text(key, part));
    const edits = (): Edits => (this.isReadOnly ? readOnly : editable);
    const replica = {
      outline: this.#here,
      history: this.#history,
      get edits() {
        return edits();
      },
    };
    this.#editors = (["name", "note"] as const).map(
      (part) =>
        new TextEditor(elementOf(part), {
          key: this.key,
          part,
          replica,
          onTag: (tag) => this.told.push(`tag ${tag}`),
          onDate: (date, { anchor, head }) => this.told.push(`date ${date} ${anchor}-${head}`),
          onLink: (href) => this.told.push(`link ${href}`),
          onBreak: () => this.told.push("break"),
          onJoin: (direction) => this.told.push(`join ${direction}`),
          onHistory: (direction) => this[direction](),
        }),
    );
  }

  select(anchor: number, head = anchor, part: Part = "name"): void {
    this.#editor(part).select(anchor, head);
  }

  toggle(format: "b" | "i" | "code"): void {
    this.#editor("name").toggle(format);
  }

  format(from: number, to: number, name: string, value: true | string): void {
    this.#edits.format(this.key, "name", { from, to }, name, value);
  }

  /** As when the page is hidden, and may not come back. */
  keepComposed(): void {
    this.#editor("name").keepComposed();
  }

  undo(): void {
    const caret = this.#history.undo()?.caret;
    if (caret !== undefined) this.select(caret.at, caret.at, caret.part);
  }

  redo(): void {
    const caret = this.#history.redo()?.caret;
    if (caret !== undefined) this.select(caret.at, caret.at, caret.part);
  }

  /** The other device writes, and it arrives here. */
  remote(at: number, remove: number, insert: string, part: Part = "name"): void {
    this.sync();
    this.#there.editText(this.key, part, (text) => {
      text.delete(at, remove);
      text.insert(at, insert);
    });
    this.sync();
  }

  remoteLayout(layout: "h1" | "code-block"): void {
    this.#there.update(this.key, { layout });
    this.sync();
  }

  sync(): void {
    for (const [from, to] of [
      [this.#there, this.#here],
      [this.#here, this.#there],
    ] as const) {
      const missing = Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(to.doc));
      Y.applyUpdate(to.doc, missing, "network");
    }
  }

  state(part: Part = "name"): PageState {
    return {
      html: htmlOfRichText(this.#here.richText(this.key, part), "kept"),
      shown: elementOf(part).textContent ?? "",
      selection: this.#editor(part).selection(),
    };
  }

  /** What the element is made of. */
  markup(part: Part = "name"): string {
    return elementOf(part).innerHTML;
  }

  get layout(): string {
    return this.#here.node(this.key)?.layout ?? "";
  }

  get isCompleted(): boolean {
    return (this.#here.node(this.key)?.completedAt ?? null) !== null;
  }

  get remoteText(): string {
    this.sync();
    return plainText(this.#there.richText(this.key, "name"));
  }

  /** Counts from now on how often the name on the page is changed by anybody. */
  watchPage(): void {
    this.#changes = 0;
    this.#observer.disconnect();
    const what = { childList: true, characterData: true, subtree: true };
    this.#observer.observe(elementOf("name"), what);
  }

  get pageChanges(): number {
    return this.#changes + this.#observer.takeRecords().length;
  }

  /** Pastes, with nobody but the editor to care for it. */
  paste(text: string, html: string): void {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    data.setData("text/html", html);
    const inputType = "insertFromPaste";
    const event = new InputEvent("beforeinput", {
      inputType,
      dataTransfer: data,
      bubbles: true,
      cancelable: true,
    });
    if (elementOf("name").dispatchEvent(event)) throw new Error("the browser would paste");
  }

  /** Whether the browser may do something of that type. */
  offer(inputType: string): boolean {
    const event = new InputEvent("beforeinput", { inputType, bubbles: true, cancelable: true });
    return elementOf("name").dispatchEvent(event);
  }

  /** Somebody writes a format that this program would not. */
  remoteFormat(from: number, to: number, name: string, value: string): void {
    this.#there.editText(this.key, "name", (text) =>
      text.format(from, to - from, { [name]: value }),
    );
    this.sync();
  }

  /**
   * Edits at random as a person, as another person and by commands, and compares after each step what
   * the page shows, what the document says and where the caret is with what has to be.
   * @returns what was wrong first, with what was done until then; undefined when nothing was
   */
  playAtRandom(seed: number, steps: number): readonly string[] | undefined {
    const random = seededRandom(seed);
    const below = (end: number): number => Math.floor(random() * end);
    this.open("some <b>bold</b> text with #tag", "", below(4) === 0 ? "code-block" : "bullets");
    this.select(0);
    const done: string[] = [];
    for (let step = 0; step < steps; step++) {
      const before = this.#plain;
      const selected = this.state().selection ?? { anchor: -1, head: -1 };
      const from = Math.min(selected.anchor, selected.head);
      const to = Math.max(selected.anchor, selected.head);
      const text = TYPED[below(TYPED.length)] ?? "";
      let expected = before;
      let caret: number | undefined;
      const kind = below(8);
      if (kind < 3) {
        document.execCommand("insertText", false, text);
        expected = before.slice(0, from) + text + before.slice(to);
        caret = from + text.length;
        done.push(`type ${JSON.stringify(text)} at ${from}-${to}`);
      } else if (kind === 3 && to > from) {
        document.execCommand("delete");
        expected = before.slice(0, from) + before.slice(to);
        caret = from;
        done.push(`delete ${from}-${to}`);
      } else if (kind === 4) {
        const at = below(before.length + 1);
        this.remote(at, 0, text);
        expected = before.slice(0, at) + text + before.slice(at);
        done.push(`remote ${JSON.stringify(text)} at ${at}`);
      } else if (kind === 5) {
        const [at, end] = [below(before.length), below(before.length + 1)];
        const name = (["b", "i", "code"] as const)[below(3)] ?? "b";
        this.format(Math.min(at, end), Math.max(at, end), name, true);
        done.push(`format ${name} ${at}-${end}`);
      } else {
        const [anchor, head] = [below(before.length + 1), below(before.length + 1)];
        this.select(anchor, kind === 6 ? anchor : head);
        done.push(`select ${anchor}-${kind === 6 ? anchor : head}`);
      }
      const { shown, selection } = this.state();
      const isRight =
        this.#plain === expected &&
        shown === expected &&
        selection !== undefined &&
        (caret === undefined || (selection.anchor === caret && selection.head === caret));
      if (!isRight) {
        const now = JSON.stringify({ document: this.#plain, shown, expected, selection, caret });
        return [`seed ${seed}`, ...done, now];
      }
    }
    return undefined;
  }

  get #plain(): string {
    return plainText(this.#here.richText(this.key, "name"));
  }

  dispose(): void {
    for (const editor of this.#editors) editor.dispose();
  }

  get isEditable(): boolean {
    return elementOf("name").isContentEditable;
  }

  /** Counts from now on what input does to the page and to the document. */
  watchInput(): void {
    const element = elementOf("name");
    const cost = { letters: 0, nodes: 0, bytes: 0 };
    this.#inputCost = cost;
    element.addEventListener("input", () => (cost.letters += 1));
    const what = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver((records) => (cost.nodes += records.length)).observe(element, what);
    this.#here.doc.on("update", (update: Uint8Array) => (cost.bytes += update.length));
  }

  inputCost(): InputCost {
    return this.#inputCost;
  }

  #editor(part: Part): TextEditor {
    const editor = this.#editors[part === "name" ? 0 : 1];
    if (editor === undefined) throw new Error("nothing is open");
    return editor;
  }

  #makeHistory(): UndoHistory {
    return new UndoHistory({ outline: this.#here, seq: () => 0, now: () => Date.now() });
  }

  #makeEdits(): LocalEdits {
    return new LocalEdits({ outline: this.#here, history: this.#history });
  }
}

function elementOf(part: Part): HTMLElement {
  const element = document.getElementById(part);
  if (element === null) throw new Error("no such element");
  return element;
}

function attached(client: number): Outline {
  const doc = new Y.Doc();
  doc.clientID = client;
  return Outline.attach(doc, {
    id: "0123456789ab8123a123" as OutlineId,
    now: () => Date.now(),
    random: Math.random,
    isDevice: true,
  });
}

declare global {
  interface Window {
    fixture: Fixture;
  }
}

window.fixture = new Fixture();
