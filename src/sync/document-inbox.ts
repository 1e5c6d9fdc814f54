import type { DocumentPin } from "./document-pin.ts";
import type { HeldMemory } from "./held-memory.ts";
import type { SyncDocument } from "./sync-document.ts";

export interface DocumentInboxOptions<T> {
  readonly pin: DocumentPin;
  readonly held: Pick<HeldMemory, "set">;
  handle(document: SyncDocument, message: T): void;
  /** Handles what needs no open document. False when it does need one, and nothing has happened. */
  handleUnopened(message: T): Promise<boolean>;
  /** Nothing waits any more. */
  onEmptied(): void;
  onFailed(error: unknown): void;
}

/**
 * Hands messages to their handler, in the order of arrival, together with the open document: at once
 * when it is open, else when it has been opened; those that need none before that.
 */
export class DocumentInbox<T> {
  readonly #options: DocumentInboxOptions<T>;
  /** What came at once; then the socket is not read until it is handled [Q53]. */
  #waiting: T[] = [];
  #waitingBytes = 0;

  constructor(options: DocumentInboxOptions<T>) {
    this.#options = options;
  }

  /** True while messages wait: no more should be read meanwhile. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** @param bytes that the message keeps in memory */
  push(message: T, bytes: number): void {
    const document = this.isWaiting ? undefined : this.#options.pin.current;
    if (document !== undefined) return this.#options.handle(document, message);
    this.#waiting.push(message);
    this.#waitingBytes += bytes;
    if (this.#waiting.length === 1) void this.#open();
    this.#options.held.set("waiting", this.#waitingBytes);
  }

  /** Forgets what waits. */
  clear(): void {
    this.#take();
  }

  #take(): readonly T[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#options.held.set("waiting", 0);
    return waiting;
  }

  /** Handles the first of those that wait if that needs no open document. */
  async #handleUnopened(): Promise<boolean> {
    const [first] = this.#waiting;
    if (first === undefined || this.#options.pin.current !== undefined) return false;
    if (!(await this.#options.handleUnopened(first))) return false;
    if (this.#waiting.length > 1) this.#waiting = this.#waiting.slice(1);
    else this.#take();
    return true;
  }

  async #open(): Promise<void> {
    const { pin } = this.#options;
    try {
      while (await this.#handleUnopened());
      if (!this.isWaiting) return this.#options.onEmptied();
      await pin.use((document) => {
        for (const message of this.#take()) this.#options.handle(document, message);
        this.#options.onEmptied();
      });
    } catch (error) {
      this.#options.onFailed(error);
    }
  }
}
