import type { DocumentListener, DurableBatch, LossReason } from "./document-listener.ts";

/** What there is of an outline whether or not it is in memory: who follows it. */
export class OutlineChannel {
  /** Client ids that may be in use although the log does not say so; see `ClientIds`. */
  readonly uncertainClients = new Set<number>();
  readonly #listeners = new Set<DocumentListener>();
  readonly #onIdle: () => void;

  /** @param onIdle called when the last one no longer follows */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** True when nothing of it needs to be remembered. */
  get isIdle(): boolean {
    return this.#listeners.size === 0 && this.uncertainClients.size === 0;
  }

  subscribe(listener: DocumentListener): () => void {
    // An object of its own, so that one listener may follow twice and end each on its own.
    const own: DocumentListener = {
      onDurable: (batch) => listener.onDurable(batch),
      onLost: (reason) => listener.onLost(reason),
    };
    this.#listeners.add(own);
    return () => {
      if (this.#listeners.delete(own) && this.isIdle) this.#onIdle();
    };
  }

  durable(batch: DurableBatch): void {
    for (const listener of this.#listeners) listener.onDurable(batch);
  }

  lost(reason: LossReason): void {
    // A listener that is told may end its subscription, or begin another.
    const told = [...this.#listeners];
    for (const listener of told) listener.onLost(reason);
  }
}
