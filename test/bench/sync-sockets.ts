import { WebSocket } from "ws";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { decodeServerMessage } from "../../src/protocol/decode-message.ts";
import type { ServerMessage } from "../../src/protocol/message.ts";

/** A message of its own kind, with an empty token. */
const HOCUSPOCUS_SIGN_IN = [2, 0, 0];

/** Opens a connection as a stock client does, and resolves when it has all there is. */
export async function openSocket(
  url: string,
  key: string,
  onBytes: (bytes: number) => void = () => undefined,
  prefix: readonly number[] = [],
): Promise<WebSocket> {
  const socket = new WebSocket(url, ["yjs", key], { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => {
      if (prefix.length > 0) socket.send(Uint8Array.from([...prefix, ...HOCUSPOCUS_SIGN_IN]));
      const question = encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) });
      socket.send(Uint8Array.from([...prefix, ...question]));
    });
    const onMessage = (data: Buffer): void => {
      onBytes(data.byteLength);
      // Told by its first two bytes, without reading megabytes.
      if (data[prefix.length] !== 0 || data[prefix.length + 1] !== 1) return;
      socket.off("message", onMessage);
      resolve();
    };
    socket.on("message", onMessage);
    socket.once("error", reject);
    socket.once("close", (code, reason) =>
      reject(new Error(`closed with ${code}: ${reason.toString()}`)),
    );
  });
  return socket;
}

/** What a message says; throws for what is none. */
export function messageOf(data: Buffer): ServerMessage {
  const decoded = decodeServerMessage(new Uint8Array(data));
  if (decoded.kind === "malformed") throw new Error(decoded.detail);
  return decoded;
}
