import * as Y from "yjs";
import { nodesOf } from "../../../src/core/schema.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import { until } from "../../support/socket-until.ts";
import type { OthersPlace } from "./hostile-updates.ts";
import { isDeleted, textOf } from "./outline-content.ts";
import { PATIENCE_MS } from "./patience.ts";

const NODES = ["aaaaaaaaaaa1", "aaaaaaaaaaa2"] as const;
/** After so many words a name is long enough, and the next one is begun. */
const WORDS_A_NODE = 200;
/** Of so many words one is timed. */
const MEASURE_EVERY = 20;

interface Typed {
  readonly from: number;
  readonly client: number;
  readonly word: string;
}

/** Two devices of one person that write beside the attack, and read all that comes of it. */
export class HealthyPair {
  readonly #clients: readonly SyncClient[];
  readonly #typed: Typed[] = [];
  /**
   * Milliseconds from the typing of a word until it is acknowledged. The attackers work in the same
   * process: their time is in it.
   */
  readonly latenciesMs: number[] = [];

  private constructor(clients: readonly SyncClient[]) {
    this.#clients = clients;
  }

  static async open(url: string, key: string): Promise<HealthyPair> {
    const clients = NODES.map(() => new SyncClient({ url, key, device: new Device() }));
    await until(() => clients.every((client) => client.isLive), "the pair", PATIENCE_MS);
    for (const [index, client] of clients.entries()) {
      nodesOf(client.device.doc).set(NODES[index] ?? "", new Y.Text());
    }
    return new HealthyPair(clients);
  }

  /** The devices' replicas. */
  get docs(): readonly Y.Doc[] {
    return this.#clients.map(({ device }) => device.doc);
  }

  /** Where the outline's history is now, as one who follows it knows. */
  get position(): { readonly epoch: string; readonly seq: number } {
    const [client] = this.#clients;
    return { epoch: client?.device.epoch ?? "", seq: client?.device.seq ?? 0 };
  }

  /** Where the devices, and whoever else has written, write next. */
  places(): readonly OthersPlace[] {
    return this.#clients.map(({ device: { doc } }) => ({
      client: doc.clientID,
      clock: Y.getState(doc.store, doc.clientID),
    }));
  }

  /** One of the two types a word. */
  type(): void {
    const index = this.#typed.length % this.#clients.length;
    const client = this.#clients[index];
    const { doc } = client?.device ?? {};
    if (client === undefined || doc === undefined) return;
    const round = Math.floor(this.#typed.length / (WORDS_A_NODE * this.#clients.length));
    const node = `${NODES[index]?.slice(0, 8)}${round.toString(16).padStart(3, "0")}${index}`;
    const nodes = nodesOf(doc);
    const known = nodes.get(node);
    const text = known ?? new Y.Text();
    if (known === undefined) nodes.set(node, text);
    const word = `word${this.#typed.length} `;
    const from = Y.getState(doc.store, doc.clientID);
    text.insert(text.length, word);
    this.#typed.push({ from, client: doc.clientID, word });
    if (this.#typed.length % MEASURE_EVERY === 0) void this.#measure(client);
  }

  /** Waits until both have everything and everything of theirs is saved. */
  async settled(): Promise<void> {
    const isSettled = (): boolean =>
      this.#clients.every(({ closed, unsaved }) => closed !== undefined || unsaved === 0);
    await until(isSettled, "the pair's edits", PATIENCE_MS);
    for (const { closed } of this.#clients) {
      if (closed !== undefined) throw new Error(`the pair was closed with ${closed.code}`);
    }
  }

  /**
   * What of theirs was disturbed: answers, and words in a replica.
   * @param isDeletion whether somebody has asked to delete what a client wrote under a clock
   */
  disturbances(
    doc: Y.Doc,
    isDeletion: (client: number, clock: number) => boolean,
  ): readonly string[] {
    const failures: string[] = [];
    for (const { refused } of this.#clients) {
      for (const { code } of refused) failures.push(`the pair was refused with ${code}`);
    }
    for (const { from, client, word } of this.#typed) {
      if (textOf(doc, client, from, from + word.length) === word) continue;
      const isKept = word.split("").every((character, index) => {
        const at = from + index;
        return isDeleted(doc, client, at, at + 1)
          ? isDeletion(client, at)
          : textOf(doc, client, at, at + 1) === character;
      });
      if (!isKept) failures.push(`${word}of the pair is not what it was`);
    }
    return failures;
  }

  async #measure(client: SyncClient): Promise<void> {
    const typedAt = performance.now();
    const update = client.device.outbox.at(-1);
    const isSaved = (): boolean =>
      client.closed !== undefined || update === undefined || !client.device.outbox.includes(update);
    await until(isSaved, "an edit", PATIENCE_MS).catch(() => undefined);
    this.latenciesMs.push(performance.now() - typedAt);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}
