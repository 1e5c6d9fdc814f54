import { randomBytes } from "node:crypto";
import type { NodeKey, OutlineId } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { CLOSE_CODE } from "../../../src/protocol/close-code.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import type { Ledger } from "./ledger.ts";
import { type Member, namesBelow } from "./member.ts";

const RETRY_MS = 100;
/** Unacknowledged edits with which somebody waits while the server is there. */
const MOST_UNSAVED = 20;

interface Sent {
  readonly name: string;
  readonly updates: readonly Uint8Array[];
}

/** A device that speaks `outline.v1`, comes again by itself, and knows what is acknowledged. */
export class ExtendedMember implements Member {
  readonly name: string;
  readonly isPromised: boolean;
  readonly device = new Device();
  readonly #outline: Outline;
  readonly #connect: () => SyncClient;
  readonly #ledger: () => Ledger;
  #client: SyncClient;
  #sent: Sent[] = [];
  #count = 0;
  #retryAt: number | undefined;

  constructor(
    name: string,
    options: {
      readonly url: string;
      readonly key: string;
      readonly outline: OutlineId;
      readonly ledger: () => Ledger;
      readonly writes: boolean;
    },
  ) {
    const { url, key, outline, ledger, writes } = options;
    this.name = name;
    this.isPromised = writes;
    this.#ledger = ledger;
    this.#outline = Outline.attach(this.device.doc, {
      id: outline,
      now: Date.now,
      random: Math.random,
    });
    const instance = new Uint8Array(randomBytes(16));
    const address = `${url.replace("http", "ws")}/sync/me`;
    const { device } = this;
    this.#connect = () => new SyncClient({ url: address, key, device, instance });
    this.#client = this.#connect();
  }

  get isSettled(): boolean {
    return this.#client.isLive && this.device.outbox.length === 0 && this.#sent.length === 0;
  }

  step(parent: NodeKey): void {
    this.look();
    if (!this.isPromised) return;
    if (this.#client.isLive && this.#sent.length > MOST_UNSAVED) return;
    const name = `${this.name}n${this.#count++}`;
    this.#ledger().ask(name);
    const before = this.device.outbox.length;
    this.#outline.create({ parent, name });
    this.#sent.push({ name, updates: this.device.outbox.slice(before) });
  }

  look(): void {
    const ledger = this.#ledger();
    const outbox = new Set(this.device.outbox);
    const isSafe = ({ updates }: Sent): boolean => !updates.some((update) => outbox.has(update));
    for (const sent of this.#sent) if (isSafe(sent)) ledger.promise(sent.name);
    this.#sent = this.#sent.filter((sent) => !isSafe(sent));
    for (const { code } of this.#client.refused) ledger.offences.push(`${this.name}: ${code}`);
    const { closed } = this.#client;
    if (closed === undefined) return;
    if (this.#retryAt === undefined) {
      this.#retryAt = ledger.now() + RETRY_MS;
      this.#onClosed(closed.code);
    } else if (ledger.now() >= this.#retryAt) {
      this.#retryAt = undefined;
      this.#client.kill();
      this.#client = this.#connect();
    }
  }

  knows(key: NodeKey): boolean {
    return this.#outline.has(key);
  }

  names(parent: NodeKey): ReadonlySet<string> {
    return namesBelow(this.#outline, parent);
  }

  close(): Promise<void> {
    this.#client.kill();
    return Promise.resolve();
  }

  #onClosed(code: number): void {
    if (code !== CLOSE_CODE.tryAgainLater) return;
    const ledger = this.#ledger();
    ledger.tell(this.name);
    if (!this.#client.received.some(({ kind }) => kind === "unavailable")) {
      ledger.offences.push(`${this.name}: closed without the message that the store fails`);
    }
  }
}
