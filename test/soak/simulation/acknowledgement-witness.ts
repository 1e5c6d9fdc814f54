import type { Socket, SocketListener } from "../../../client/lib/connection/socket.ts";
import { decodeClientMessage, decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import type { DurableOutline } from "./durable-outline.ts";

/**
 * Looks over the shoulder of one connection of an extended client: whatever is acknowledged to it,
 * and was not refused, must be on the server's disk when it hears so.
 */
export class AcknowledgementWitness {
  readonly #durable: () => DurableOutline;
  readonly #onFalse: (what: string) => void;
  readonly #count: (what: string) => void;
  /** The updates that were sent, by their number. */
  readonly #sent = new Map<number, Uint8Array>();
  #number = 0;

  constructor(
    durable: () => DurableOutline,
    onFalse: (what: string) => void,
    count: (what: string) => void,
  ) {
    this.#durable = durable;
    this.#onFalse = onFalse;
    this.#count = count;
  }

  /** What is told to the client, after the witness has heard it. */
  listening(listener: SocketListener): SocketListener {
    return {
      onOpen: () => listener.onOpen(),
      onClose: (code) => listener.onClose(code),
      onMessage: (bytes) => {
        this.#hear(bytes);
        listener.onMessage(bytes);
      },
    };
  }

  /** The socket for the client: what it sends is noted. */
  sending(socket: Socket): Socket {
    return {
      close: () => socket.close(),
      send: (bytes) => {
        const message = decodeClientMessage(bytes);
        if (message.kind === "update" || message.kind === "step2") {
          this.#sent.set(++this.#number, message.update);
        }
        socket.send(bytes);
      },
    };
  }

  #hear(bytes: Uint8Array): void {
    const message = decodeServerMessage(bytes);
    if (message.kind === "refused") this.#sent.delete(message.number);
    if (message.kind !== "acknowledged") return;
    for (const [number, update] of this.#sent) {
      if (number > message.count) return;
      this.#sent.delete(number);
      this.#count("acknowledged updates");
      if (!this.#durable().has(update)) this.#onFalse(`update ${number} of a connection`);
    }
  }
}
