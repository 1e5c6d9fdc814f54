import { type Clocks, type Missing, missingOf } from "../../core/yjs/stored-clocks.ts";
import type { Outline } from "../../core/outline.ts";
import type { ClientRange } from "../../core/updates/update-guard.ts";
import type { ClientIds } from "./client-ids.ts";
import type { DocumentEvents } from "../document-events.ts";
import { clockOf } from "../../core/yjs/struct-store.ts";

export interface LostClocksOptions {
  /** As the log has them. */
  readonly lost: Clocks | undefined;
  readonly outline: Outline;
  readonly ids: ClientIds;
  readonly events: DocumentEvents;
}

/** What an outline had before a backup was put back, and has not got again. */
export class LostClocks {
  readonly #options: LostClocksOptions;
  readonly #lost: Clocks;
  #told = 0;

  constructor(options: LostClocksOptions) {
    this.#options = options;
    this.#lost = options.lost ?? new Map();
  }

  /** Tells how much has not come back, when that is not what was told. */
  tell(): void {
    if (this.#lost.size === 0) return;
    const { missing } = this;
    if (missing.clocks === this.#told) return;
    this.#told = missing.clocks;
    const { events, outline } = this.#options;
    events.onStillMissing?.(outline.id, missing);
  }

  /** How many of these clocks the backup lacked, as far as that is known. */
  broughtBack(ranges: readonly ClientRange[]): number {
    let count = 0;
    for (const { client, from, to } of ranges) {
      const isWhole = this.#options.ids.wasServers(client);
      const end = isWhole ? to : Math.min(to, this.#lost.get(client) ?? 0);
      count += Math.max(0, end - from);
    }
    return count;
  }

  get missing(): Missing {
    const { doc } = this.#options.outline;
    return missingOf(this.#lost, (client) => clockOf(doc, client));
  }
}
