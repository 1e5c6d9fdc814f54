import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { newOutlineId, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import { waitUntil } from "../failing-store/wait-until.ts";

const UPDATE_BYTES = 64 * 1024;
/** Sent and not acknowledged, at most. */
const IN_FLIGHT = 4;

/** Somebody who writes the same note anew, again and again: much passes, and little stays. */
export class Traffic {
  readonly #outline: Outline;
  readonly #connect: () => SyncClient;
  #client: SyncClient;
  #node: NodeKey | undefined;
  #count = 0;

  constructor(options: { readonly url: string; readonly key: string }) {
    const device = new Device();
    this.#outline = Outline.attach(device.doc, {
      // Keys are the same in every outline.
      id: newOutlineId(() => 0),
      now: Date.now,
      random: Math.random,
    });
    this.#connect = () => new SyncClient({ ...options, device });
    this.#client = this.#connect();
  }

  get outline(): Outline {
    return this.#outline;
  }

  /** Writes notes that stay. */
  async plant(bytes: number): Promise<void> {
    await waitUntil(() => this.#isLive, "the writer is connected");
    for (let planted = 0; planted < bytes; planted += UPDATE_BYTES) {
      const note = randomBytes(UPDATE_BYTES / 2).toString("hex");
      this.#outline.create({ parent: ROOT, name: "what stays", note });
      while (!this.#isLive || this.#client.unsaved > IN_FLIGHT) await delay(1);
    }
    await waitUntil(() => this.#isLive && this.#client.unsaved === 0, "all is acknowledged");
  }

  async pass(bytes: number): Promise<void> {
    await waitUntil(() => this.#isLive, "the writer is connected");
    this.#node ??= this.#create();
    for (let passed = 0; passed < bytes; passed += UPDATE_BYTES) {
      const filler = randomBytes(UPDATE_BYTES / 2).toString("hex");
      this.#outline.editText(this.#node, "note", (text) => {
        text.delete(0, text.length);
        text.insert(0, `${this.#count++} ${filler}`);
      });
      while (!this.#isLive || this.#client.unsaved > IN_FLIGHT) await delay(1);
    }
    await waitUntil(() => this.#isLive && this.#client.unsaved === 0, "all is acknowledged");
  }

  close(): void {
    this.#client.kill();
  }

  /** Comes again when it was sent away: a disk shared by many may take too long. */
  get #isLive(): boolean {
    if (this.#client.closed !== undefined) {
      this.#client.kill();
      this.#client = this.#connect();
    }
    return this.#client.isLive;
  }

  #create(): NodeKey {
    const created = this.#outline.create({ parent: ROOT, name: "what passes" });
    if (created.kind !== "created") throw new Error(created.kind);
    return created.key;
  }
}
