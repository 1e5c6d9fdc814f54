import type { OutlineId } from "../core/node-key.ts";
import type { OpenDocument } from "../documents/outline-in-memory.ts";
import { NotWantedError } from "../documents/log/unavailable-error.ts";
import type { SyncDocument, SyncDocuments } from "./sync-document.ts";

type PinState =
  /** Nobody is there any more who could use it. */
  | { readonly kind: "closed" }
  | { readonly kind: "released" }
  | Opening
  | { readonly kind: "open"; readonly document: SyncDocument; readonly letGo: () => void };

interface Opening {
  readonly kind: "opening";
  opened: Promise<SyncDocument> | undefined;
}

const RELEASED: PinState = { kind: "released" };

export interface DocumentPinOptions {
  readonly documents: SyncDocuments;
  readonly outline: OutlineId;
  now(): number;
  /** Called with each document that was opened, before anybody has it. */
  onOpen(document: SyncDocument): void;
}

/**
 * The document of an outline's sessions. Opened when it is needed, kept open while it is used and
 * for a while after, then let go, so that it may be unloaded while the sockets stay.
 */
export class DocumentPin {
  readonly #options: DocumentPinOptions;
  #state: PinState = RELEASED;
  #uses = 0;
  #usedAt = 0;

  constructor(options: DocumentPinOptions) {
    this.#options = options;
  }

  /** The document when it is open: for work that ends at once. */
  get current(): SyncDocument | undefined {
    const { openNow } = this;
    if (openNow !== undefined) this.#usedAt = this.#options.now();
    return openNow;
  }

  /** The document when it is open: for a look that does not count as use. */
  get openNow(): SyncDocument | undefined {
    return this.#state.kind === "open" ? this.#state.document : undefined;
  }

  /** Opens the document when it is not, and keeps it open until `work` has ended. */
  async use<T>(work: (document: SyncDocument) => Promise<T> | T): Promise<T> {
    this.#uses++;
    try {
      return await work(this.current ?? (await this.#open()));
    } finally {
      this.#letGo();
    }
  }

  /** The same for work that has no end of its own: until `letGo` is called, once. */
  async hold(): Promise<{ readonly document: SyncDocument; readonly letGo: () => void }> {
    this.#uses++;
    try {
      const document = this.current ?? (await this.#open());
      return { document, letGo: () => this.#letGo() };
    } catch (error) {
      this.#letGo();
      throw error;
    }
  }

  /** Lets go of the document when nobody has used it for so long, or the clock was set back as far. */
  releaseIdle(idleMs: number): void {
    if (this.#uses > 0 || Math.abs(this.#options.now() - this.#usedAt) < idleMs) return;
    this.release();
  }

  /** Lets go of the document now. */
  release(): void {
    const state = this.#state;
    if (state.kind === "closed") return;
    this.#state = RELEASED;
    if (state.kind === "open") state.letGo();
  }

  /** The same for good: from now on nothing is opened. */
  close(): void {
    this.release();
    this.#state = { kind: "closed" };
  }

  #letGo(): void {
    this.#uses--;
    this.#usedAt = this.#options.now();
  }

  #open(): Promise<SyncDocument> {
    if (this.#state.kind === "opening" && this.#state.opened !== undefined) {
      return this.#state.opened;
    }
    if (this.#state.kind === "closed") return Promise.reject(new NotWantedError());
    const { documents, outline } = this.#options;
    const opening: Opening = { kind: "opening", opened: undefined };
    this.#state = opening;
    // Released meanwhile: everybody has left who waited.
    const isWanted = (): boolean => this.#state === opening;
    opening.opened = this.#opened(opening, documents.open(outline, isWanted));
    return opening.opened;
  }

  async #opened(opening: Opening, open: Promise<OpenDocument>): Promise<SyncDocument> {
    try {
      const handle = await open;
      const { document } = handle;
      // Who waits gets the document, but nobody keeps it.
      if (this.#state !== opening) {
        handle.release();
        return document;
      }
      this.#options.onOpen(document);
      this.#state = { kind: "open", document, letGo: () => handle.release() };
      this.#usedAt = this.#options.now();
      return document;
    } catch (error) {
      if (this.#state === opening) this.#state = RELEASED;
      throw error;
    }
  }
}
