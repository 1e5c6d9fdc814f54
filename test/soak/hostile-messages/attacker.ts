import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../../src/core/node-key.ts";
import { decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { MESSAGE_TYPE } from "../../../src/protocol/message-type.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import { integerBelow } from "../../support/seeded-random.ts";
import { maskedFrame } from "../../support/socket-peer.ts";
import { FrameReader } from "../../support/frame-reader.ts";
import type { HonestHand } from "./honest-hand.ts";
import { hostileFrame } from "./hostile-frames.ts";
import type { HostileMessages } from "./hostile-messages.ts";
import type { HugeMessage } from "./huge-messages.ts";
import { PATIENCE_MS } from "./patience.ts";

export interface AttackerOptions {
  readonly port: number;
  readonly key: string;
  readonly dialect: "stock" | "extended";
  readonly random: Random;
  readonly messages: HostileMessages;
  /** The message that opens a session. */
  readonly greeting: () => Uint8Array;
  /** Makes right updates, to be sent between the others. */
  readonly hand?: HonestHand;
  /** Now and then something large; undefined when it is not the time. */
  readonly takeHuge?: () => HugeMessage | undefined;
}

/** What came of some messages. */
export interface Volley {
  readonly sent: number;
  /** Updates that the server said it has. */
  readonly acknowledged: readonly Uint8Array[];
  /** Updates that the server said nothing of before the connection ended. */
  readonly uncertain: readonly Uint8Array[];
  readonly refused: number;
  /** What must not happen. */
  readonly failures: readonly string[];
}

interface Sent {
  readonly number: number;
  readonly update: Uint8Array;
  readonly isHonest: boolean;
}

const PING = maskedFrame(new Uint8Array([1]), 0x89);
const PING_OPCODE = 9;
const PONG_OPCODE = 10;
/** FIN, and the opcode of a pong. */
const PONG_FRAME = 0x8a;
const CLOSE_OPCODE = 8;
const BINARY_OPCODE = 2;
/** What a client can't be the cause of: a fault of the server, a restart, a store that fails. */
const SERVER_FAULTS = new Set([1011, 1012, 1013]);

/** One connection after another that says what it should not, many messages at once. */
export class Attacker {
  readonly #options: AttackerOptions;
  #socket: Socket | undefined;
  #open: Sent[] = [];
  #lastNumber = 0;
  #hasPong = false;
  #isClosing = false;
  #sent = 0;
  #refused = 0;
  #acknowledged: Uint8Array[] = [];
  #failures: string[] = [];
  #wake: () => void = () => undefined;

  constructor(options: AttackerOptions) {
    this.#options = options;
  }

  /** Sends about so many messages, and waits until the server has answered all of them or hung up. */
  async volley(size: number): Promise<Volley> {
    const { random } = this.#options;
    const frames = this.#socket === undefined ? await this.#connect() : [];
    for (let count = 0; count < size; count++) frames.push(...this.#next());
    if (random() < 0.15) frames.push(...this.#ending());
    this.#hasPong = false;
    frames.push(PING);
    this.#write(Buffer.concat(frames));
    await this.#answered();
    const volley = {
      sent: this.#sent,
      acknowledged: this.#acknowledged,
      uncertain: this.#takeUncertain(),
      refused: this.#refused,
      failures: this.#failures,
    };
    this.#sent = 0;
    this.#refused = 0;
    this.#acknowledged = [];
    this.#failures = [];
    return volley;
  }

  stop(): void {
    this.#socket?.destroy();
  }

  #takeUncertain(): readonly Uint8Array[] {
    if (this.#socket !== undefined && this.#options.dialect === "extended") return [];
    return this.#open.splice(0).map(({ update }) => update);
  }

  /** @returns the frames to begin with */
  async #connect(): Promise<Buffer[]> {
    const { port, key, dialect, random, greeting, messages, hand } = this.#options;
    const socket = connect(port, "127.0.0.1");
    this.#socket = socket;
    this.#open = [];
    this.#lastNumber = 0;
    this.#isClosing = false;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#wake();
    });
    await once(socket, "connect");
    socket.write(
      [
        "GET /sync/me HTTP/1.1",
        `host: 127.0.0.1:${port}`,
        "upgrade: websocket",
        "connection: Upgrade",
        "sec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==",
        "sec-websocket-version: 13",
        `sec-websocket-protocol: ${SUBPROTOCOL[dialect]}, ${key}`,
        "\r\n",
      ].join("\r\n"),
    );
    await this.#upgraded(socket);
    // Sometimes nothing opens the session, or something else than what should.
    const roll = random();
    const opening = roll < 0.04 ? [] : [roll < 0.08 ? messages.hello() : greeting()];
    return [
      ...opening.map((message) => maskedFrame(message)),
      ...(hand?.unsaved ?? []).map((update) => this.#update(update, true)),
    ];
  }

  #upgraded(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      let head = Buffer.alloc(0);
      const onData = (chunk: Buffer): void => {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        socket.off("data", onData);
        const status = head.toString("latin1", 9, 12);
        if (status !== "101") this.#failures.push(`the upgrade was answered ${status}`);
        const reader = new FrameReader((opcode, payload) => this.#onFrame(opcode, payload));
        reader.push(head.subarray(end + 4));
        socket.on("data", (more: Buffer) => reader.push(more));
        resolve();
      };
      socket.on("data", onData);
      socket.once("close", resolve);
    });
  }

  #next(): Buffer[] {
    const { random, messages, dialect, hand, takeHuge } = this.#options;
    const huge = takeHuge?.();
    if (huge !== undefined) {
      this.#sent++;
      return [huge.kind === "update" ? this.#update(huge.update, false) : maskedFrame(huge.bytes)];
    }
    const roll = random();
    if (roll < 0.05 && hand !== undefined) return [this.#update(hand.next(), true)];
    this.#sent++;
    if (roll < 0.92) return this.#inPieces(this.#update(messages.update(), false));
    if (roll < 0.99 || dialect === "stock") return [maskedFrame(messages.other())];
    return [maskedFrame(messages.claim())];
  }

  /** What closes the connection, and something behind it that comes too late. */
  #ending(): Buffer[] {
    const { random, messages } = this.#options;
    const late = Array.from({ length: 1 + integerBelow(random, 3) }, () => messages.update());
    this.#sent += 1 + late.length;
    const end = random() < 0.5 ? hostileFrame(random) : maskedFrame(messages.ending());
    return [Buffer.from(end), ...late.map((update) => this.#update(update, false))];
  }

  #update(update: Uint8Array, isHonest: boolean): Buffer {
    this.#open.push({ number: ++this.#lastNumber, update, isHonest });
    const kind = this.#options.random() < 0.8 ? "update" : "step2";
    return maskedFrame(encodeMessage({ kind, update }));
  }

  /** A message now and then as fragments with a ping between. */
  #inPieces(frame: Buffer): Buffer[] {
    const { random } = this.#options;
    const payload = frame.length < 132 ? frame.subarray(6) : undefined;
    if (payload === undefined || random() > 0.05) return [frame];
    const cut = integerBelow(random, payload.length + 1);
    return [
      maskedFrame(payload.subarray(0, cut), 0x02),
      maskedFrame(new Uint8Array(0), 0x89),
      maskedFrame(payload.subarray(cut), 0x80),
    ];
  }

  /** All at once, or in two pieces that are cut anywhere. */
  #write(bytes: Buffer): void {
    const cut = integerBelow(this.#options.random, bytes.length);
    this.#socket?.write(bytes.subarray(0, cut));
    this.#socket?.write(bytes.subarray(cut));
  }

  async #answered(): Promise<void> {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    const timeUp = once(deadline, "abort");
    while (this.#socket !== undefined && !this.#isAnswered) {
      if (deadline.aborted) {
        this.#failures.push(`no answer in ${PATIENCE_MS} ms`);
        this.#socket.destroy();
        return;
      }
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), timeUp]);
    }
    // What the other side has done in this turn belongs to it.
    await wait(0);
  }

  get #isAnswered(): boolean {
    if (this.#isClosing || !this.#hasPong) return false;
    return this.#options.dialect === "stock" || this.#open.length === 0;
  }

  #onFrame(opcode: number, payload: Buffer): void {
    if (opcode === BINARY_OPCODE) this.#onMessage(payload);
    // So the server learns that this was read.
    else if (opcode === PING_OPCODE) this.#socket?.write(maskedFrame(payload, PONG_FRAME));
    else if (opcode === PONG_OPCODE && payload[0] === 1) this.#hasPong = true;
    else if (opcode === CLOSE_OPCODE) this.#onClose(Buffer.from(payload));
    else return;
    this.#wake();
  }

  #onMessage(payload: Buffer): void {
    const [type] = payload;
    if (type !== MESSAGE_TYPE.acknowledged && type !== MESSAGE_TYPE.refused) return;
    if (this.#options.dialect === "stock") this.#failures.push(`a stock client was sent ${type}`);
    const message = decodeServerMessage(payload);
    if (message.kind === "refused") {
      const at = this.#open.findIndex(({ number }) => number === message.number);
      const [refused] = at < 0 ? [] : this.#open.splice(at, 1);
      this.#refused++;
      if (refused === undefined) this.#failures.push(`${message.number} was refused, but not sent`);
      else if (refused.isHonest) this.#failures.push(`an honest update was ${message.code}`);
    } else if (message.kind === "acknowledged") {
      if (message.count > this.#lastNumber) {
        this.#failures.push(`${message.count} of ${this.#lastNumber} updates were acknowledged`);
      }
      while ((this.#open[0]?.number ?? Infinity) <= message.count) {
        const saved = this.#open.shift();
        if (saved === undefined) return;
        this.#acknowledged.push(saved.update);
        if (saved.isHonest) this.#options.hand?.saved(saved.update);
      }
    }
  }

  /** The server closes: there are more messages on their way, then the end in one way or the other. */
  #onClose(payload: Buffer): void {
    const { random, messages } = this.#options;
    this.#isClosing = true;
    const code = payload.length < 2 ? 0 : payload.readUInt16BE();
    if (SERVER_FAULTS.has(code)) this.#failures.push(`a connection was closed with ${code}`);
    this.#sent++;
    this.#socket?.write(maskedFrame(encodeMessage({ kind: "update", update: messages.update() })));
    if (random() < 0.3) this.#socket?.resetAndDestroy();
    else this.#socket?.end(maskedFrame(payload, 0x88));
  }
}
