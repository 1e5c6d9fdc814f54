import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow } from "../../support/seeded-random.ts";
import type { Agenda } from "./agenda.ts";

/**
 * - `up`: what is sent arrives.
 * - `hung`: nothing arrives, and nobody is told; what was sent comes when it is up again.
 * - `down`: there is no way, and who tries to connect is told so.
 */
type LinkState = "up" | "hung" | "down";

/** What travels: bytes, the end of what one side has to say, or the end of the connection. */
export type Packet = Uint8Array | "end" | "reset";

/** The way between a device and the server: so far away, now and then broken. */
export class Link {
  readonly agenda: Agenda;
  readonly random: Random;
  /** Extra time for each packet to the device: it reads slowly. */
  slowMs = 0;
  readonly #latencyMs: number;
  readonly #pipes = new Set<Pipe>();
  #state: LinkState = "up";

  constructor(agenda: Agenda) {
    this.agenda = agenda;
    this.random = agenda.fork();
    this.#latencyMs = 1 + integerBelow(this.random, this.random() < 0.3 ? 300 : 40);
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Nothing arrives any more until `heal`. */
  hang(): void {
    this.#state = "hung";
  }

  /** All connections break, and there are no new ones until `heal`. */
  cut(): void {
    this.#state = "down";
    this.drop();
  }

  /** All connections break: both sides are told some time later, or what is on its way is first. */
  drop(): void {
    for (const pipe of this.#pipes) pipe.send("reset");
  }

  heal(): void {
    this.#state = "up";
    for (const pipe of this.#pipes) pipe.goOn();
  }

  /** How long something takes that is sent now. */
  delay(): number {
    return this.#latencyMs + integerBelow(this.random, 1 + this.#latencyMs);
  }

  add(pipe: Pipe): void {
    this.#pipes.add(pipe);
  }

  remove(pipe: Pipe): void {
    this.#pipes.delete(pipe);
  }
}

/** One direction of a connection: in order, without gaps, until it is reset. */
export class Pipe {
  readonly #link: Link;
  readonly #delay: () => number;
  readonly #deliver: (packet: Packet) => void;
  readonly #waiting: { readonly packet: Packet; readonly onTaken: (() => void) | undefined }[] = [];
  #bytes = 0;
  #isMoving = false;
  #isOver = false;

  constructor(link: Link, delay: () => number, deliver: (packet: Packet) => void) {
    this.#link = link;
    this.#delay = delay;
    this.#deliver = deliver;
    link.add(this);
  }

  /** Bytes that were sent and have not arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param onTaken called when it has arrived */
  send(packet: Packet, onTaken?: () => void): void {
    if (this.#isOver) return;
    // A line that is cut loses what is on its way.
    if (packet === "reset") this.#waiting.length = 0;
    if (typeof packet === "object") this.#bytes += packet.length;
    this.#waiting.push({ packet, onTaken });
    this.goOn();
  }

  /** Nothing arrives any more. */
  close(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#link.remove(this);
  }

  /** What waits arrives together, or only some of it: borders of packets mean nothing. */
  goOn(): void {
    if (this.#isMoving || this.#isOver || this.#waiting.length === 0) return;
    this.#isMoving = true;
    this.#link.agenda.after(this.#delay(), () => {
      this.#isMoving = false;
      if (this.#link.state === "hung") return;
      const all = this.#waiting.length;
      const some = this.#link.random() < 0.7 ? all : 1 + integerBelow(this.#link.random, all);
      for (let count = 0; count < some && !this.#isOver; count++) this.#arrive();
      this.goOn();
    });
  }

  #arrive(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const { packet, onTaken } = next;
    if (typeof packet === "object") this.#bytes -= packet.length;
    this.#link.agenda.note(packet);
    if (packet === "reset") this.close();
    onTaken?.();
    this.#deliver(packet);
  }
}
