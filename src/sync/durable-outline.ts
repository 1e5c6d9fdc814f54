import type { OutlineId } from "../core/node-key.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import type { IsWanted } from "../documents/log/stored-reads.ts";
import type { UnopenedOutline } from "../documents/log/unopened-outline.ts";
import type { DocumentPin } from "./document-pin.ts";
import type { SyncDocument, SyncDocuments } from "./sync-document.ts";

/** What an outline answers, open or not, of what is durable. */
export type DurableParts = Pick<SyncDocument, "epoch" | "head" | "since" | "extent" | "chunk">;

export interface DurableOutlineOptions {
  readonly documents: Pick<SyncDocuments, "unopened">;
  readonly outline: OutlineId;
  readonly pin: DocumentPin;
}

/**
 * What is durable of an outline, without opening it for that: who misses little is served from the
 * log. Its owner follows the outline from before the first look, and says what it is told; so nothing
 * that is written meanwhile is missed.
 */
export class DurableOutline {
  readonly #options: DurableOutlineOptions;
  #unopened: UnopenedOutline | undefined;
  /** The number of the last update that was told. */
  #told: Seq = 0;
  /** How often all that was known has become void. */
  #losses = 0;

  constructor(options: DurableOutlineOptions) {
    this.#options = options;
  }

  /** The number of the last durable update, as far as all has been told; undefined when nobody knows. */
  get head(): Seq | undefined {
    return this.#options.pin.current?.head ?? this.#unopened?.head;
  }

  /** So much has become durable. */
  reach(head: Seq): void {
    this.#told = Math.max(this.#told, head);
    this.#unopened?.reach(head);
  }

  /** The outline was lost, or thrown away: its log may be another one. */
  forget(): void {
    this.#losses++;
    this.#told = 0;
    this.#unopened = undefined;
  }

  /** @throws what reading and opening throw */
  async look<T>(isWanted: IsWanted, work: (durable: DurableParts) => Promise<T> | T): Promise<T> {
    const { pin } = this.#options;
    const unopened = pin.current === undefined ? await this.unopened(isWanted) : undefined;
    return unopened === undefined ? pin.use(work) : work(unopened);
  }

  /** What it has, as Yjs encodes it. @throws what reading and opening throw */
  async stateVector(isWanted: IsWanted): Promise<Uint8Array> {
    const stored = await (await this.unopened(isWanted))?.state.stateVector(isWanted);
    return stored ?? this.#options.pin.use((document) => document.stateVector());
  }

  /** The outline as long as it is not open; undefined when it is, or to open it costs nothing. */
  async unopened(isWanted: IsWanted): Promise<UnopenedOutline | undefined> {
    const { documents, outline, pin } = this.#options;
    for (;;) {
      if (pin.current !== undefined) return undefined;
      const losses = this.#losses;
      const unopened = await (this.#unopened ?? documents.unopened(outline, isWanted));
      if (unopened === undefined) return undefined;
      // What was read may be from before all was lost.
      if (losses !== this.#losses) continue;
      unopened.reach(this.#told);
      return (this.#unopened ??= unopened);
    }
  }
}
