import type { DocumentPin } from "./document-pin.ts";
import type { SyncDocument } from "./sync-document.ts";

export interface DocumentInboxOptions<T> {
  readonly pin: DocumentPin;
  handle(document: SyncDocument, message: T): void;
  /** Nothing waits any more. */
  onEmptied(): void;
  onFailed(error: unknown): void;
}

/**
 * Hands messages to their handler together with the open document: at once when it is open, else
 * when it has been opened, in the order of arrival.
 */
export class DocumentInbox<T> {
  readonly #options: DocumentInboxOptions<T>;
  #waiting: T[] = [];

  constructor(options: DocumentInboxOptions<T>) {
    this.#options = options;
  }

  /** True while messages wait: no more should be read meanwhile. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  push(message: T): void {
    const document = this.isWaiting ? undefined : this.#options.pin.current;
    if (document !== undefined) return this.#options.handle(document, message);
    this.#waiting.push(message);
    if (this.#waiting.length === 1) void this.#open();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
  }

  async #open(): Promise<void> {
    const { pin } = this.#options;
    try {
      await pin.use((document) => {
        for (const message of this.#waiting.splice(0)) this.#options.handle(document, message);
        this.#options.onEmptied();
      });
    } catch (error) {
      this.#options.onFailed(error);
    }
  }
}
