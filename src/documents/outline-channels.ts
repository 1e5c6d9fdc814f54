import type { OutlineId } from "../core/node-key.ts";
import type { DocumentListener, LossReason } from "./replica/document-listener.ts";
import { OutlineChannel } from "./replica/outline-channel.ts";

export interface OutlineChannelsOptions {
  /** Whether the outline's channel is needed as long as that lasts. */
  readonly isInMemory: (id: OutlineId) => boolean;
  /** A listener threw. */
  readonly onDefect: (error: unknown) => void;
}

/** The channels of outlines that are in memory or followed. */
export class OutlineChannels {
  readonly #options: OutlineChannelsOptions;
  /** [Q52] */
  readonly #channels = new Map<OutlineId, OutlineChannel>();

  constructor(options: OutlineChannelsOptions) {
    this.#options = options;
  }

  of(id: OutlineId): OutlineChannel {
    let channel = this.#channels.get(id);
    if (channel === undefined) {
      const { onDefect } = this.#options;
      channel = new OutlineChannel({ onIdle: () => this.forget(id), onDefect });
      this.#channels.set(id, channel);
    }
    return channel;
  }

  /** Follows an outline. Returns what ends that. */
  subscribe(id: OutlineId, listener: DocumentListener): () => void {
    return this.of(id).subscribe(listener);
  }

  /** The outlines that have a channel. */
  get outlines(): Iterable<OutlineId> {
    return this.#channels.keys();
  }

  /** Whether somebody follows an outline. */
  isFollowed(id: OutlineId): boolean {
    return this.#channels.get(id)?.hasListeners === true;
  }

  /** Tells those who follow an outline that it is lost, if anybody does. */
  lost(id: OutlineId, reason: LossReason): void {
    this.#channels.get(id)?.lost(reason);
  }

  /** The same of all outlines but those whose followers are told already. */
  allLost(reason: LossReason, told: ReadonlySet<OutlineId>): void {
    for (const [id, channel] of this.#channels) if (!told.has(id)) channel.lost(reason);
  }

  /** Lets go of an outline's channel when nobody needs it. */
  forget(id: OutlineId): void {
    if (!this.#options.isInMemory(id) && this.#channels.get(id)?.isIdle === true) {
      this.#channels.delete(id);
    }
  }
}
