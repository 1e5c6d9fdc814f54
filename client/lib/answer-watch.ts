import type { OwnEdits } from "./own-edits.ts";
import type { Platform } from "./platform.ts";

/** More than it takes a leading tab to say that the server does not answer. */
const SILENT_AFTER_MS = 5_000;

/**
 * Notices that the tab that leads does not answer when it is told of edits: the browser has frozen it, or
 * something keeps its thread.
 */
export class AnswerWatch {
  readonly #platform: Pick<Platform, "setTimer">;
  readonly #own: Pick<OwnEdits, "unsavedCount">;
  readonly #onChange: (isSilent: boolean) => void;
  #stopTimer: (() => void) | undefined;
  #isSilent = false;

  constructor(
    platform: Pick<Platform, "setTimer">,
    own: Pick<OwnEdits, "unsavedCount">,
    onChange: (isSilent: boolean) => void,
  ) {
    this.#platform = platform;
    this.#own = own;
    this.#onChange = onChange;
  }

  /** It was told of edits. */
  expect(): void {
    this.#stopTimer ??= this.#platform.setTimer(() => {
      this.#stopTimer = undefined;
      this.#set(this.#own.unsavedCount > 0);
    }, SILENT_AFTER_MS);
  }

  /** It has said something. Perhaps not of all the edits. */
  heard(): void {
    const isExpected = this.#stopTimer !== undefined || this.#isSilent;
    this.stop();
    this.#set(false);
    if (isExpected) this.expect();
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #set(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    this.#onChange(isSilent);
  }
}
