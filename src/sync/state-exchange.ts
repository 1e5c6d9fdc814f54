import { encodeClocks } from "../core/yjs/stored-update.ts";
import type { UnopenedOutline } from "../documents/log/unopened-outline.ts";
import type { Hello } from "../protocol/message.ts";
import { PROTOCOL_VERSION, VERSION_WITH_REST } from "../protocol/message.ts";
import { readStateVector } from "../protocol/state-vector.ts";
import type { Delivery } from "./delivery.ts";
import type { Dialect } from "./dialect.ts";
import type { DurableOutline, DurableParts } from "./durable-outline.ts";
import type { HeldMemory } from "./held-memory.ts";

/** What an answer to a device has to know of an outline, open or not. */
type KnownOutline = Pick<DurableParts, "epoch" | "head">;

/** What a client id with its clock takes in memory. */
const BYTES_PER_CLIENT = 80;

export interface StateExchangeOptions {
  readonly dialect: Dialect;
  readonly delivery: Delivery;
  readonly durable: DurableOutline;
  readonly held: Pick<HeldMemory, "set">;
  readonly canWrite: boolean;
  /** Bytes. */
  readonly maxMessageBytes: number;
  /** Whether the client is still there. */
  readonly isHere: () => boolean;
}

/** What a client and the server have of an outline: each says it, and is sent what the other one has more. */
export class StateExchange {
  readonly #options: StateExchangeOptions;
  /** The client may have what the document lacks, and is asked for it once it has caught up. */
  #isToBeAsked: boolean;
  /** It has been asked, and has not answered. */
  #isAsked = false;
  /** What a stock client had that was asked before it was sent anything, until it has answered. */
  #had: ReadonlyMap<number, number> | undefined;
  /** Clients of which it has said what it has, until it has been sent the rest. */
  #compared = 0;

  constructor(options: StateExchangeOptions) {
    this.#options = options;
    this.#isToBeAsked = options.dialect.name === "stock" && options.canWrite;
  }

  /** An extended client begins. */
  hello(document: KnownOutline, hello: Hello): void {
    const { canWrite, delivery, maxMessageBytes } = this.#options;
    const { version, epoch, seq } = hello;
    this.#isToBeAsked = canWrite && mayKnowMore(document, hello);
    delivery.catchUp({
      from: { kind: "seq", epoch, seq, saysRest: version >= VERSION_WITH_REST },
      preface: (from) => ({
        kind: "welcome",
        version: Math.min(version, PROTOCOL_VERSION),
        epoch: document.epoch,
        head: document.head,
        from,
        access: canWrite ? "write" : "read",
        maxMessageBytes,
      }),
    });
  }

  /**
   * The same although the outline is not open. False, and nothing has happened, for one that may write and
   * is to be asked for what it knows, or has to be noted: the first one, see `expectDevice`.
   */
  async helloUnopened(hello: Hello): Promise<boolean> {
    const { canWrite, isHere } = this.#options;
    const outline = await this.#unopened();
    if (outline === undefined) return false;
    if (canWrite && (mayKnowMore(outline, hello) || !(await outline.hasDevices(isHere))))
      return false;
    if (isHere()) this.hello(outline, hello);
    return true;
  }

  /**
   * A client says what it has.
   * @param ours what the document has
   * @param isFirst whether that is how it begins
   * @returns false when the bytes are no state vector
   */
  step1(ours: Uint8Array, stateVector: Uint8Array, isFirst: boolean): boolean {
    const { canWrite, delivery } = this.#options;
    const theirs = readStateVector(stateVector);
    if (theirs === undefined) return false;
    const known = readStateVector(ours);
    const shared = new Map<number, number>();
    for (const [client, clock] of theirs) {
      const ourClock = known?.get(client) ?? 0;
      if (clock > ourClock && canWrite) this.#isToBeAsked = true;
      if (ourClock > 0) shared.set(client, clock);
    }
    if (isFirst && this.#isToBeAsked && theirs.size > 0) {
      // The answer holds what it did while it was away, and nothing of what it is sent now.
      this.#isToBeAsked = false;
      this.#had = theirs;
      this.ask(ours);
    }
    this.#compared = shared.size;
    this.#tellHeld();
    // Whatever else it says makes no difference, and would be gone through for each part of a state.
    const asked = shared.size === theirs.size ? stateVector : encodeClocks(shared);
    delivery.catchUp({ from: { kind: "state_vector", stateVector: asked } });
    return true;
  }

  /** What the outline has, as long as it is not open; undefined when it is. */
  async stateVectorUnopened(): Promise<Uint8Array | undefined> {
    return (await this.#unopened())?.state.stateVector(this.#options.isHere);
  }

  /** Asks for all that the document lacks. */
  ask(stateVector: Uint8Array): void {
    this.#isAsked = true;
    this.#options.delivery.send({ kind: "step1", stateVector });
  }

  /** All that is durable was sent. */
  async caughtUp(): Promise<void> {
    this.#compared = 0;
    this.#tellHeld();
    if (!this.#isToBeAsked) return;
    this.#isToBeAsked = false;
    this.ask(await this.#options.durable.stateVector(this.#options.isHere));
  }

  /** The client answers. @returns what it had before it was sent anything; undefined when that is not known */
  answered(): ReadonlyMap<number, number> | undefined {
    const had = this.#had;
    this.#had = undefined;
    this.#isAsked = false;
    this.#tellHeld();
    return had;
  }

  /**
   * The same although the outline is not open. Of an extended client the answer is always news: what it
   * deletes, it has deleted itself.
   * @returns up to which update the log holds all that the answer says; undefined when it says more
   */
  async answeredUnopened(update: Uint8Array): Promise<number | undefined> {
    const { dialect, canWrite, isHere } = this.#options;
    if (!this.#isAsked || !canWrite || dialect.name !== "stock") return undefined;
    const outline = await this.#unopened();
    const isKnown = await outline?.state.knows(update, this.#had, isHere);
    if (isKnown !== true) return undefined;
    this.answered();
    return outline?.head;
  }

  #tellHeld(): void {
    const clients = this.#compared + (this.#had?.size ?? 0);
    this.#options.held.set("said", clients * BYTES_PER_CLIENT);
  }

  #unopened(): Promise<UnopenedOutline | undefined> {
    return this.#options.durable.unopened(this.#options.isHere);
  }
}

/**
 * Within one history all that a client sent is acknowledged or will be sent again. In another, and
 * where this server does not know as much as it has told, what was acknowledged may be lost.
 */
function mayKnowMore(known: KnownOutline, { epoch, seq }: Hello): boolean {
  return epoch !== "" && (epoch !== known.epoch || seq > known.head);
}
