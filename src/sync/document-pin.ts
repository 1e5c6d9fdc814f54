import type { OutlineId } from "../core/node-key.ts";
import type { SyncDocument, SyncDocuments } from "./sync-document.ts";

type PinState =
  | { readonly kind: "released" }
  | { readonly kind: "opening"; readonly opened: Promise<SyncDocument> }
  | { readonly kind: "open"; readonly document: SyncDocument; readonly letGo: () => void };

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
    if (this.#state.kind !== "open") return undefined;
    this.#usedAt = this.#options.now();
    return this.#state.document;
  }

  /** Opens the document when it is not, and keeps it open until `work` has ended. */
  async use<T>(work: (document: SyncDocument) => Promise<T> | T): Promise<T> {
    this.#uses++;
    try {
      return await work(this.current ?? (await this.#open()));
    } finally {
      this.#uses--;
      this.#usedAt = this.#options.now();
    }
  }

  /** Lets go of the document when nobody has used it for so long. */
  releaseIdle(idleMs: number): void {
    if (this.#uses > 0 || this.#options.now() - this.#usedAt < idleMs) return;
    this.release();
  }

  /** Lets go of the document now. */
  release(): void {
    const state = this.#state;
    this.#state = RELEASED;
    if (state.kind === "open") state.letGo();
  }

  #open(): Promise<SyncDocument> {
    if (this.#state.kind === "opening") return this.#state.opened;
    const opened = this.#options.documents.open(this.#options.outline).then(
      (handle) => {
        const { document } = handle;
        // Released meanwhile: who waits gets the document, but nobody keeps it.
        if (this.#state !== opening) {
          handle.release();
          return document;
        }
        this.#options.onOpen(document);
        this.#state = { kind: "open", document, letGo: () => handle.release() };
        this.#usedAt = this.#options.now();
        return document;
      },
      (error: unknown) => {
        if (this.#state === opening) this.#state = RELEASED;
        throw error;
      },
    );
    const opening: PinState = { kind: "opening", opened };
    this.#state = opening;
    return opened;
  }
}
