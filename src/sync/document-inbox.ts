import type { DocumentPin } from "./document-pin.ts";
import type { SyncDocument } from "./sync-document.ts";
import type { Turn } from "./turn.ts";

export interface DocumentInboxOptions<T> {
  readonly pin: DocumentPin;
  readonly turn: Turn;
  /** Handles a message; the next one waits for what is promised. */
  readonly handle: (document: SyncDocument, message: T) => Promise<void> | undefined;
  /** Nothing waits any more. */
  readonly onEmptied: () => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Hands messages to their handler together with the open document, one behind the other in the order
 * of arrival: at once when there is nothing to wait for.
 */
export class DocumentInbox<T> {
  readonly #options: DocumentInboxOptions<T>;
  #waiting: T[] = [];
  #isWaiting = false;

  constructor(options: DocumentInboxOptions<T>) {
    this.#options = options;
  }

  /** True while messages wait: no more should be read meanwhile. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  push(message: T): void {
    const { pin, turn, handle } = this.#options;
    const document = this.#isWaiting || turn.isOver ? undefined : pin.current;
    if (document === undefined) {
      this.#waiting.push(message);
      if (!this.#isWaiting) void this.#goOn(undefined);
      return;
    }
    const handling = handle(document, message);
    if (handling !== undefined) void this.#goOn(handling);
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
  }

  /** Handles what waits, after what is being handled. */
  async #goOn(handling: Promise<void> | undefined): Promise<void> {
    const { pin, onFailed } = this.#options;
    this.#isWaiting = true;
    try {
      await handling;
      await pin.use((document) => this.#handleWaiting(document));
    } catch (error) {
      this.#isWaiting = false;
      onFailed(error);
    }
  }

  async #handleWaiting(document: SyncDocument): Promise<void> {
    const { turn, handle, onEmptied } = this.#options;
    while (this.#waiting.length > 0) {
      for (const message of this.#waiting.splice(0)) {
        if (turn.isOver) await turn.next();
        const handling = handle(document, message);
        if (handling !== undefined) await handling;
      }
    }
    this.#isWaiting = false;
    onEmptied();
  }
}
