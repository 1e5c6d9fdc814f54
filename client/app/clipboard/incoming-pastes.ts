import { type FocusState, isSamePlace } from "../outline/focus/focus.ts";
import { focusOfKept, type KeptFocus, keptFocus } from "../outline/focus/kept-focus.ts";
import type { OutlineScreen } from "../outline/focus/outline-screen.ts";
import { paste, pasteLiterally, type PastePlace } from "./paste.ts";
import type { ClipboardTexts, pastedOf } from "./pasted.ts";

type Read = typeof pastedOf;

/** Pastes that wait for their reader, all asked for with the same caret. */
interface Waiting {
  readonly at: FocusState;
  readonly texts: ClipboardTexts[];
}

/**
 * Puts in what is pasted. What understands it is a part of the app that is fetched ahead; a paste that
 * has to wait for it goes to where the caret was, and without it the text is pasted as it is.
 */
export class IncomingPastes {
  readonly #screen: OutlineScreen;
  readonly #newKey = () => this.#screen.workspace.replica.outline.freeKey();
  #read: Read | undefined;
  #waiting: Waiting | undefined;

  constructor(screen: OutlineScreen) {
    this.#screen = screen;
  }

  /** A failure is told when something is pasted. */
  async fetchAhead(): Promise<void> {
    await this.#fetch();
  }

  take(texts: ClipboardTexts): void {
    const { workspace } = this.#screen;
    if (this.#read !== undefined) {
      paste(workspace, this.#read(texts, this.#newKey));
      return;
    }
    const at = workspace.focus.state.get();
    // The next one with the same caret goes behind this one, as it would have.
    if (this.#waiting !== undefined && isSamePlace(this.#waiting.at, at)) {
      this.#waiting.texts.push(texts);
      return;
    }
    this.#waiting = { at, texts: [texts] };
    void this.#takeLater(this.#waiting, keptFocus(workspace.replica, at));
  }

  async #takeLater(waiting: Waiting, kept: KeptFocus): Promise<void> {
    const read = await this.#fetch();
    if (this.#waiting === waiting) this.#waiting = undefined;
    const { workspace } = this.#screen;
    let place = this.#placeOf(focusOfKept(workspace.replica, kept));
    if (kept !== undefined && place.at === undefined) {
      this.#warn("The line that was pasted into is no longer there.");
      return;
    }
    for (const texts of waiting.texts) {
      if (read !== undefined) place = paste(workspace, read(texts, this.#newKey), place);
      else {
        const plain = texts("text/plain");
        place = pasteLiterally(workspace, plain, place);
        const what = plain === "" ? "Nothing was pasted" : "Pasted as plain text";
        this.#warn(`${what}: a part of the app could not be loaded.`);
      }
    }
  }

  async #fetch(): Promise<Read | undefined> {
    try {
      this.#read ??= (await import("./pasted.ts")).pastedOf;
    } catch {
      // The next paste tries again.
    }
    return this.#read;
  }

  #placeOf(at: FocusState): PastePlace {
    const { workspace } = this.#screen;
    this.#screen.noticeCaret();
    const isHere = this.#screen.contains(document.activeElement);
    return { at, takesCaret: isHere && isSamePlace(at, workspace.focus.state.get()) };
  }

  #warn(text: string): void {
    this.#screen.workspace.notices.warn(text);
  }
}
