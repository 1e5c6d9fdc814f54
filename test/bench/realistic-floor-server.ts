/**
 * The floor of the realistic load: bare fastify and a bare relay over one group commit. A request
 * that writes is appended and answered; an update is appended, and then sent on to the others of its
 * room, each turn's in one frame. Nobody is asked for a key, and nothing is looked into.
 */
import { env } from "node:process";
import * as decoding from "lib0/decoding";
import { fastify } from "fastify";
import { WebSocketServer, type WebSocket } from "ws";
import * as Y from "yjs";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { BareGroupCommit } from "./bare-group-commit.ts";

interface Room {
  readonly clients: Set<WebSocket>;
  batch: { readonly from: WebSocket; readonly update: Uint8Array }[];
}

const log = await BareGroupCommit.open(env["FLOOR_FOLDER"] ?? "");
const rooms = new Map<string, Room>();
const app = fastify();
app.get("/*", async ({ query }) => {
  const { bytes } = query as { readonly bytes: string };
  // As many bytes as the service answers.
  return { nodes: "x".repeat(Math.max(0, Number(bytes) - '{"nodes":""}'.length)) };
});
app.route({
  method: ["POST", "DELETE"],
  url: "/*",
  handler: async ({ body, url }) => {
    await log.append(Buffer.from(url + JSON.stringify(body ?? null)));
    return { status: "ok" };
  },
});

async function relay(room: Room, from: WebSocket, update: Uint8Array): Promise<void> {
  await log.append(update);
  room.batch.push({ from, update });
  if (room.batch.length === 1) setImmediate(() => flush(room));
}

function flush(room: Room): void {
  const { batch } = room;
  room.batch = [];
  const authors = new Set(batch.map(({ from }) => from));
  const updates = batch.map((each) => each.update);
  const [only] = updates;
  const update = only !== undefined && updates.length === 1 ? only : Y.mergeUpdates(updates);
  const frame = encodeMessage({ kind: "update", update });
  for (const client of room.clients) {
    if (authors.size > 1 || !authors.has(client)) client.send(frame);
  }
}

const sockets = new WebSocketServer({ server: app.server, perMessageDeflate: false });
sockets.on("connection", (client, { url = "" }) => {
  const room = rooms.get(url) ?? { clients: new Set(), batch: [] };
  rooms.set(url, room);
  room.clients.add(client);
  client.on("close", () => room.clients.delete(client));
  client.on("message", (data: Buffer) => {
    const decoder = decoding.createDecoder(new Uint8Array(data));
    decoding.readVarUint(decoder);
    if (decoding.readVarUint(decoder) === 0) {
      client.send(encodeMessage({ kind: "step2", update: new Uint8Array([0, 0]) }));
      return;
    }
    const update = decoding.readVarUint8Array(decoder);
    void relay(room, client, update);
  });
});
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
