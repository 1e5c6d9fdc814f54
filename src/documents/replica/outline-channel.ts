import type { DocumentListener, DurableBatch, LossReason } from "./document-listener.ts";

export interface OutlineChannelOptions {
  /** Nobody follows any more. */
  readonly onIdle: () => void;
  /** A listener threw. */
  readonly onDefect: (error: unknown) => void;
}

/** What there is of an outline whether or not it is in memory: who follows it. */
export class OutlineChannel {
  /** Client ids that may be in use although the log does not say so; see `ClientIds` [Q58]. */
  readonly uncertainClients = new Set<number>();
  /** One for the connections together [Q56]. */
  readonly #listeners = new Set<DocumentListener>();
  readonly #options: OutlineChannelOptions;

  constructor(options: OutlineChannelOptions) {
    this.#options = options;
  }

  /** True when nothing of it needs to be remembered. */
  get isIdle(): boolean {
    return this.#listeners.size === 0 && this.uncertainClients.size === 0;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: DocumentListener): () => void {
    // An object of its own, so that one listener may follow twice and end each on its own.
    const own: DocumentListener = {
      onDurable: (batch) => listener.onDurable(batch),
      onLost: (reason) => listener.onLost(reason),
    };
    this.#listeners.add(own);
    return () => {
      if (this.#listeners.delete(own) && this.isIdle) this.#options.onIdle();
    };
  }

  durable(batch: DurableBatch): void {
    this.#tell((listener) => listener.onDurable(batch));
  }

  lost(reason: LossReason): void {
    this.#tell((listener) => listener.onLost(reason));
  }

  #tell(call: (listener: DocumentListener) => void): void {
    // A listener that is told may end its subscription, or begin another.
    const listeners = [...this.#listeners];
    for (const listener of listeners) {
      try {
        call(listener);
      } catch (error) {
        // The others are told all the same.
        this.#options.onDefect(error);
      }
    }
  }
}
