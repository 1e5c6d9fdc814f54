import { createDecoder, hasContent, readVarUint } from "lib0/decoding";
import { createEncoder, length, toUint8Array, writeVarUint, type Encoder } from "lib0/encoding";
import { readSyncMessage, writeSyncStep1, writeUpdate } from "y-protocols/sync";
import * as Y from "yjs";
import { newOutlineId, type NodeKey, type Random } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import type { Agenda } from "./agenda.ts";
import type { Claims } from "./claims.ts";
import { Link } from "./link.ts";
import { isGuarded, someGap, someNode, somePlace } from "./places.ts";
import { type Gate, WebsocketClient } from "./websocket-client.ts";

/** The kind of message that y-protocols calls sync. */
const SYNC = 0;
const UNAUTHORIZED = 4401;
const FIRST_OWN_ID = 2 ** 28;

export interface StockClientOptions {
  readonly agenda: Agenda;
  readonly gate: Gate;
  readonly claims: Claims;
  readonly key: string;
  /** Whether there are mirrors, of which the page knows nothing. */
  readonly mirrors: boolean;
  readonly count: (what: string) => void;
}

/** A page that uses Yjs with y-protocols: it has no store, and nothing tells it what is saved. */
export class StockClient {
  readonly link: Link;
  readonly doc = new Y.Doc();
  key: string;
  readonly #options: StockClientOptions;
  readonly #random: Random;
  readonly #outline: Outline;
  #socket: WebsocketClient | undefined;
  #isOpen = false;
  #isOver = false;

  constructor(options: StockClientOptions) {
    const { agenda, key } = options;
    this.#options = options;
    this.key = key;
    this.link = new Link(agenda);
    this.#random = agenda.fork();
    this.doc.clientID = FIRST_OWN_ID + integerBelow(this.#random, 2 ** 31);
    const id = newOutlineId(this.#random);
    this.#outline = Outline.attach(this.doc, {
      id,
      now: agenda.now,
      random: this.#random,
      isDevice: true,
    });
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== this) this.#send((encoder) => writeUpdate(encoder, update));
    });
  }

  get outline(): Outline {
    return this.#outline;
  }

  get isConnected(): boolean {
    return this.#isOpen;
  }

  connect(): void {
    if (this.#socket !== undefined || this.#isOver) return;
    const { gate, agenda } = this.#options;
    this.#socket = new WebsocketClient(
      { link: this.link, gate, path: "/sync/me", protocols: [SUBPROTOCOL.stock, this.key] },
      {
        onOpen: () => {
          this.#isOpen = true;
          this.#send((encoder) => writeSyncStep1(encoder, this.doc));
        },
        onMessage: (bytes) => this.#onMessage(bytes),
        onClose: (code) => {
          this.#socket = undefined;
          this.#isOpen = false;
          if (code !== UNAUTHORIZED) {
            agenda.after(1000 + integerBelow(this.#random, 2000), () => this.connect());
          }
        },
      },
    );
  }

  /** The page is closed; what it has not sent is gone. */
  end(isSystemAlive: boolean): void {
    this.#isOver = true;
    this.#socket?.abandon(isSystemAlive);
    this.#socket = undefined;
    this.#isOpen = false;
    this.#options.claims.forget((claim) => claim.maker === this);
  }

  act(): void {
    const { claims } = this.#options;
    const outline = this.#outline;
    const key = someNode(outline, this.#random, isGuarded);
    const claim = { maker: this, run: this };
    // It has nothing before the first contact.
    if (key === undefined) return;
    const what = this.#random();
    if (this.#options.mirrors && what < 0.15) this.#writeIntoMirror();
    else if (what < 0.5) {
      const token = { text: claims.newToken(), key: outline.heldBy(key) };
      claims.make({ ...claim, token });
      outline.editText(key, "name", (text) => {
        text.insert(someGap(text.toJSON(), this.#random), token.text);
      });
    } else if (what < 0.75) {
      const made = outline.create({ ...somePlace(outline, this.#random), name: "from a page" });
      if (made.kind === "created") claims.make({ ...claim, nodes: [made.key] });
    } else outline.move(key, somePlace(outline, this.#random));
  }

  /** It sees an empty line, and writes there. */
  #writeIntoMirror(): void {
    const outline = this.#outline;
    const isMirror = (key: NodeKey): boolean => outline.heldBy(key) !== key;
    const mirrors = [...outline.keysInOrder()].filter(isMirror);
    if (mirrors.length === 0) return;
    const { claims, count } = this.#options;
    count("texts of their own in mirrors");
    const token = { text: claims.newToken(), key: oneOf(this.#random, mirrors) };
    claims.make({ maker: this, run: this, token });
    textOf(nodesOf(this.doc), token.key)?.insert(0, token.text);
  }

  #onMessage(bytes: Uint8Array): void {
    const decoder = createDecoder(bytes);
    if (readVarUint(decoder) !== SYNC || !hasContent(decoder)) return;
    const answer = createEncoder();
    writeVarUint(answer, SYNC);
    readSyncMessage(decoder, answer, this.doc, this);
    if (length(answer) > 1) this.#socket?.send(toUint8Array(answer));
  }

  #send(write: (encoder: Encoder) => void): void {
    if (!this.#isOpen) return;
    const encoder = createEncoder();
    writeVarUint(encoder, SYNC);
    write(encoder);
    this.#socket?.send(toUint8Array(encoder));
  }
}
