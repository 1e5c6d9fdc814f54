import type { Command } from "../../commands/command.ts";
import type { SlashState } from "../../commands/slash-state.ts";
import { isComposing } from "../../state/is-composing.ts";
import { listen } from "../../state/listen.ts";
import type { CaretTravel } from "./caret-travel.ts";
import type { OutlineScreen } from "./outline-screen.ts";

/** Where a key was pressed. */
type Zone = "outline" | "page" | "field";

/** Gives the keys of the page to the slash menu, the caret and the commands, in this order. */
export class Keyboard {
  readonly #screen: OutlineScreen;
  #pastesLiterally = false;

  /** The menu that opens with a slash; it comes later. */
  slash: SlashState | undefined;
  /** Takes the caret from line to line; it comes later, until then a browser moves it in its line. */
  travel: CaretTravel | undefined;

  constructor(screen: OutlineScreen) {
    this.#screen = screen;
  }

  /** Answers how to stop. */
  listen(document: Document): () => void {
    const keydown = (event: KeyboardEvent): void => {
      if (this.#take(event)) event.preventDefault();
    };
    const pointerdown = (): void => {
      this.travel?.forgetGoal();
      this.#screen.forgetWish();
    };
    const stops = [
      listen(document, { keydown }),
      listen(document, { pointerdown }, { capture: true }),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Whether the paste that comes now was asked for by the key for literal pasting. */
  takeLiteralPaste(): boolean {
    const isLiteral = this.#pastesLiterally;
    this.#pastesLiterally = false;
    return isLiteral;
  }

  /** Whether the key was for us. */
  #take(event: KeyboardEvent): boolean {
    if (event.defaultPrevented || isComposing(event)) return false;
    const { workspace } = this.#screen;
    this.#pastesLiterally = false;
    // A menu that is open is closed by the browser, as long as nobody takes the key from it.
    if (event.key === "Escape" && document.querySelector(":popover-open") !== null) return false;
    const zone = this.#zoneOf(event.target);
    if (workspace.dialog.get() !== undefined) {
      if (document.querySelector("dialog[open]") !== null) return false;
      // It is still being loaded: what is typed is not for the line behind it.
      if (event.key === "Escape") workspace.dialog.set(undefined);
      return true;
    }
    let takesLetters = zone !== "page";
    if (zone === "outline") {
      takesLetters = this.#screen.noticeCaret();
      if (isControl(event.target) && (event.key === "Enter" || event.key === " ")) return false;
      if (this.slash?.takeKey(event) === true) return true;
      if (this.#takeArrow(event)) return true;
    }
    for (const command of workspace.commands.forKey(event)) {
      if (!this.#mayRun(command, zone)) continue;
      if (command.isNative === true) {
        this.#pastesLiterally = command.id === "text.pasteLiteral";
        return false;
      }
      workspace.commands.run(command.id);
      return true;
    }
    // Nothing here takes letters: the line takes them that had the caret last, as the browser's own input.
    if (!takesLetters && isLetter(event) && document.querySelector(":popover-open") === null) {
      this.#screen.takeBackFocus();
    }
    return false;
  }

  #takeArrow(event: KeyboardEvent): boolean {
    const isVertical = event.key === "ArrowUp" || event.key === "ArrowDown";
    if (!isVertical) this.travel?.forgetGoal();
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const { travel } = this;
    return travel !== undefined && (travel.take(event.key) || travel.takePage(event.key));
  }

  #mayRun(command: Command, zone: Zone): boolean {
    if (zone !== "outline") {
      // What nobody looks at must not change, and in a field the keys of writing are the field's own.
      const isHistory = zone === "page" && command.id.startsWith("history.");
      const isAbout = ["find", "outline", "look"].includes(command.group);
      return isHistory || (isAbout && (zone === "page" || !command.id.startsWith("node.")));
    }
    const isText = this.#screen.workspace.focus.state.get()?.kind === "text";
    const { edge } = command;
    return !isText || edge === undefined || this.travel?.isAtEdge(edge) === true;
  }

  #zoneOf(target: EventTarget | null): Zone {
    if (this.#screen.contains(target)) return "outline";
    // Nothing is written there yet: undo is that of the outline.
    if (!(target instanceof HTMLElement) || target === this.#screen.firstLine) return "page";
    const isField = target.isContentEditable || target.closest("input, textarea, select") !== null;
    return isField ? "field" : "page";
  }
}

/** Whether a key writes. Not the space, which scrolls and presses buttons. */
function isLetter(event: KeyboardEvent): boolean {
  if (event.key === "Dead") return true;
  if (event.key === " " || Array.from(event.key).length !== 1) return false;
  const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
  return !isShortcut || event.getModifierState("AltGraph");
}

function isControl(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("button, a[href]:not([contenteditable] a)") !== null
  );
}
