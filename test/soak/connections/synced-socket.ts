import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import { decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/message.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";

export interface SocketOptions {
  /** As in `ws://host:port/sync/me`. */
  readonly url: string;
  readonly key: string;
  readonly dialect: "stock" | "extended";
  /** The address that it comes from. */
  readonly localAddress: string;
  /** Is given every part of what there is. */
  readonly onUpdate?: (update: Uint8Array) => void;
}

/** Far longer than a server may take. */
const DEADLINE_MS = 60_000;

/** Nothing was there to connect to. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/**
 * Opens a connection, and resolves when it has all that there is. Rejects with an UnreachableError
 * when no server answers, else with what the server had against it.
 */
export function openSynced(options: SocketOptions): Promise<WebSocket> {
  const { url, key, dialect, localAddress, onUpdate } = options;
  const socket = new WebSocket(url, [dialect === "stock" ? "yjs" : SUBPROTOCOL.extended, key], {
    perMessageDeflate: false,
    localAddress,
  });
  const opened = new Promise<WebSocket>((resolve, reject) => {
    const overdue = setTimeout(() => reject(new Error("never caught up")), DEADLINE_MS);
    socket.once("close", () => clearTimeout(overdue));
    socket.once("open", () => socket.send(dialect === "stock" ? QUESTION : hello()));
    socket.on("message", function onMessage(data: Buffer) {
      const message = decodeServerMessage(new Uint8Array(data));
      if ("update" in message && message.kind !== "awareness") onUpdate?.(message.update);
      if (message.kind !== (dialect === "stock" ? "step2" : "caught_up")) return;
      clearTimeout(overdue);
      socket.off("message", onMessage);
      resolve(socket);
    });
    socket.once("unexpected-response", (_request, { statusCode }) =>
      reject(new Error(`refused with ${statusCode}`)),
    );
    socket.once("close", (code) =>
      reject(code === 1006 ? new UnreachableError() : new Error(`closed with ${code}`)),
    );
    socket.on("error", (error) => {
      // After a refusal the library closes the connection itself.
      if ("code" in error) reject(new UnreachableError(error.message));
    });
  });
  opened.catch(() => socket.terminate());
  return opened;
}

const QUESTION = encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) });

function hello(): Uint8Array {
  const instance = new Uint8Array(randomBytes(16));
  return encodeMessage({ kind: "hello", version: PROTOCOL_VERSION, instance, epoch: "", seq: 0 });
}
