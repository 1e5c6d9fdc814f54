import { randomBytes } from "node:crypto";
import WebSocket from "ws";
import * as Y from "yjs";
import { randomClient } from "../../src/core/yjs/random-client.ts";
import type { Presence } from "../../src/protocol/awareness-update.ts";
import { encodeAwarenessUpdate, readAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import type { ClientMessage, Refused, ServerMessage } from "../../src/protocol/message.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/message.ts";
import { SUBPROTOCOL } from "../../src/protocol/subprotocol.ts";

/** Marks what came from the server, so that it is not sent back. */
const FROM_SERVER = "server";

/** What a device keeps when its program ends; edits are made on `doc`, connected or not. */
export class Device {
  readonly doc = new Y.Doc();
  /** The history that `seq` counts in; empty before the first contact. */
  epoch = "";
  /** The replica holds all up to here. */
  seq = 0;
  /** The device's own updates that the server has not acknowledged, oldest first. */
  outbox: Uint8Array[] = [];

  constructor() {
    this.client = randomClient(Math.random);
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== FROM_SERVER) this.outbox.push(update);
    });
  }

  /** The state vector of all but the edits that are not acknowledged. */
  got(): Uint8Array {
    const clocks = Y.decodeStateVector(Y.encodeStateVector(this.doc));
    for (const update of this.outbox) {
      for (const [client, clock] of Y.parseUpdateMeta(update).from) {
        clocks.set(client, Math.min(clocks.get(client) ?? 0, clock));
      }
    }
    return Y.encodeStateVector(clocks);
  }

  /** The client id that the device writes under. */
  get client(): number {
    return this.doc.clientID;
  }

  set client(client: number) {
    this.doc.clientID = client;
  }

  /** The same device twice: a copied profile, or a backup that was restored. */
  copy(): Device {
    const copy = new Device();
    Y.applyUpdate(copy.doc, Y.encodeStateAsUpdate(this.doc), FROM_SERVER);
    copy.client = this.client;
    copy.epoch = this.epoch;
    copy.seq = this.seq;
    copy.outbox = [...this.outbox];
    return copy;
  }
}

export interface SyncClientOptions {
  /** As in `ws://host:port/sync/me`. */
  readonly url: string;
  readonly key: string;
  readonly device: Device;
  /** Stays the same while the program runs: by it the server knows a reconnect from a copy. */
  readonly instance?: Uint8Array;
  /** The version that it says it speaks. */
  readonly version?: number;
}

/**
 * One connection of a device that speaks `outline.v1` (docs/sync-protocol.md): it resumes where the
 * device stands, and keeps every edit until it is acknowledged.
 */
export class SyncClient {
  readonly device: Device;
  readonly presences = new Map<number, Presence>();
  /** Every message that came, oldest first. */
  readonly received: ServerMessage[] = [];
  readonly refused: Refused[] = [];
  bytesReceived = 0;
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;
  readonly #options: SyncClientOptions;
  /** The number under which each update of the outbox was sent, in the same order. */
  #sent: number[] = [];
  #lastNumber = 0;
  #isCaughtUp = false;

  constructor(options: SyncClientOptions) {
    const { url, key, device } = options;
    this.#options = options;
    this.device = device;
    // Certificates of tests are signed by nobody.
    this.#socket = new WebSocket(url, [SUBPROTOCOL.extended, key], { rejectUnauthorized: false });
    this.#socket.on("open", () => this.#greet());
    this.#socket.on("message", (data) => this.#onMessage(new Uint8Array(data as Buffer)));
    this.#socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    this.#socket.on("error", () => undefined);
    device.doc.on("update", this.#sendOutbox);
  }

  /** True when the device has all that the server had, and may send. */
  get isLive(): boolean {
    return this.closed === undefined && this.#isCaughtUp;
  }

  /** Updates that the server has not acknowledged: what a status line would call "saving". */
  get unsaved(): number {
    return this.device.outbox.length;
  }

  /** Stops reading, now or as soon as the connection is open, or goes on. */
  setReading(isReading: boolean): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#socket.once("open", () => this.setReading(isReading));
    } else if (isReading) {
      this.#socket.resume();
    } else {
      this.#socket.pause();
    }
  }

  send(message: ClientMessage): void {
    this.sendBytes(encodeMessage(message));
  }

  sendBytes(bytes: Uint8Array | string): void {
    this.#socket.send(bytes);
  }

  announce(presence: Omit<Presence, "state"> & { readonly state: unknown }): void {
    const state = new TextEncoder().encode(JSON.stringify(presence.state));
    this.send({ kind: "awareness", update: encodeAwarenessUpdate([{ ...presence, state }]) });
  }

  /** Leaves as a program that ends. */
  close(): void {
    this.device.doc.off("update", this.#sendOutbox);
    this.#socket.close();
  }

  /** Leaves as a program that is killed. */
  kill(): void {
    this.device.doc.off("update", this.#sendOutbox);
    this.#socket.terminate();
  }

  #greet(): void {
    const { epoch, seq } = this.device;
    const { version = PROTOCOL_VERSION } = this.#options;
    const { instance = new Uint8Array(randomBytes(16)) } = this.#options;
    this.send({ kind: "hello", version, instance, epoch, seq });
  }

  #onMessage(bytes: Uint8Array): void {
    this.bytesReceived += bytes.length;
    const message = decodeServerMessage(bytes);
    if (message.kind === "malformed") throw new Error(message.detail);
    this.received.push(message);
    const { device } = this;
    switch (message.kind) {
      case "welcome":
        device.epoch = message.epoch;
        if (message.from === "rest") {
          this.send({ kind: "step1", stateVector: device.got() });
        }
        return;
      case "sequenced":
        Y.applyUpdate(device.doc, message.update, FROM_SERVER);
        // 0 within a state: until its last part is here, the device stands where it stood before.
        if (message.seq > 0) device.seq = message.seq;
        return;
      case "caught_up":
        device.seq = message.seq;
        this.#isCaughtUp = true;
        return this.#sendOutbox();
      case "step1":
        return this.#answer(message.stateVector);
      case "acknowledged":
        this.#forgetUpTo(message.count);
        if (message.seq > 0) device.seq = message.seq;
        return;
      case "refused":
        this.refused.push(message);
        return;
      case "awareness":
        for (const presence of readAwarenessUpdate(message.update, { maxPresences: 1000 }) ?? []) {
          this.presences.set(presence.client, presence);
        }
        return;
      case "lease_granted":
      case "lease_kept":
      case "unavailable":
      case "permission_denied":
      case "query_awareness":
      case "time_answer":
      case "step2":
      case "update":
        return;
    }
  }

  /** Sends what was not sent on this connection. */
  readonly #sendOutbox = (): void => {
    if (!this.isLive) return;
    for (const update of this.device.outbox.slice(this.#sent.length)) {
      this.#sent.push(++this.#lastNumber);
      this.send({ kind: "update", update });
    }
  };

  /** The server asks for what it lacks: after a backup was put back, that can be anybody's. */
  #answer(stateVector: Uint8Array): void {
    const update = Y.encodeStateAsUpdate(this.device.doc, stateVector);
    this.#lastNumber++;
    this.send({ kind: "step2", update });
  }

  /** The first `count` messages are durable, or were refused. */
  #forgetUpTo(count: number): void {
    const open = this.#sent.findIndex((number) => number > count);
    const done = open === -1 ? this.#sent.length : open;
    const wasRefused = (number: number | undefined): boolean =>
      this.refused.some((refusal) => refusal.number === number);
    this.device.outbox = this.device.outbox.filter(
      (_update, index) => index >= done || wasRefused(this.#sent[index]),
    );
    this.#sent = this.#sent.filter((number, index) => index >= done || wasRefused(number));
  }
}
