/** A client process that sends messages and waits until they are dealt with, for the sync benchmark. */
import { randomBytes } from "node:crypto";
import { WebSocket } from "ws";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { PROTOCOL_VERSION, type ServerMessage } from "../../src/protocol/message.ts";
import { SUBPROTOCOL } from "../../src/protocol/subprotocol.ts";
import { serveBench } from "./server-process.ts";
import { messageOf } from "./sync-sockets.ts";

export interface SenderRole {
  readonly url: string;
  readonly key: string;
  /** In base 64. */
  readonly messages: readonly string[];
}

export interface Sent {
  /** The codes of refused updates, or with what the connection was closed. */
  readonly refusals: readonly string[];
}

const EMPTY_UPDATE = encodeMessage({ kind: "update", update: new Uint8Array([0, 0]) });

/** Opens a connection of an extended client, and resolves when it is up to date. */
function open(
  { url, key }: SenderRole,
  onMessage: (message: ServerMessage) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(url, [SUBPROTOCOL.extended, key], { perMessageDeflate: false });
  const instance = new Uint8Array(randomBytes(16));
  socket.once("open", () =>
    socket.send(
      encodeMessage({ kind: "hello", version: PROTOCOL_VERSION, instance, epoch: "", seq: 0 }),
    ),
  );
  return new Promise((resolve, reject) => {
    socket.on("message", (data: Buffer) => {
      const message = messageOf(data);
      if (message.kind === "caught_up") resolve(socket);
      onMessage(message);
    });
    socket.once("error", reject);
  });
}

serveBench<SenderRole, Sent>(async (role) => {
  const messages = role.messages.map((message) => Buffer.from(message, "base64"));
  // What is acknowledged last was dealt with last.
  messages.push(Buffer.from(EMPTY_UPDATE));
  const updates = messages.filter((message) => message[0] === 0 && message[1] === 2).length;
  const refusals: string[] = [];
  await open(role, () => undefined);
  let isDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const author = await open(role, (message) => {
    if (message.kind === "refused") refusals.push(message.code);
    if (message.kind === "acknowledged" && message.count >= updates) isDone();
  });
  author.once("close", (code) => {
    refusals.push(`closed with ${code}`);
    isDone();
  });
  for (const message of messages) author.send(message);
  await done;
  return { refusals: [...new Set(refusals)] };
});
