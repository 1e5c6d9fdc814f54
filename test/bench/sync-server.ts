/**
 * A server process of the sync benchmark: the service on LevelDB with an outline of some size, or a
 * bare relay that sends each turn's updates on in one frame, when they are durable or without
 * storing anything, or Hocuspocus, which stores nothing here.
 */
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server as Hocuspocus } from "@hocuspocus/server";
import * as decoding from "lib0/decoding";
import { WebSocketServer, type WebSocket } from "ws";
import * as Y from "yjs";
import { ROOT } from "../../src/core/node-key.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { startService } from "../support/service.ts";
import { BareGroupCommit } from "./bare-group-commit.ts";
import { serveBench } from "./server-process.ts";

export type SyncRole =
  | { readonly kind: "service"; readonly nodes: number }
  | { readonly kind: "relay"; readonly isDurable: boolean }
  | { readonly kind: "hocuspocus" };

export interface SyncServer {
  /** As in `ws://host:port/sync/me`. */
  readonly url: string;
  readonly key: string;
  /** More keys of the same user. */
  readonly keys: readonly string[];
  /** Another user's. */
  readonly otherKey: string;
  /** What messages of both sides begin with; nothing when not given. */
  readonly prefix?: readonly number[];
}

/** The name of the document: its length and its letters. */
const HOCUSPOCUS_PREFIX = [1, "a".charCodeAt(0)];

async function serveService(nodes: number): Promise<SyncServer> {
  const service = await startService({
    store: "level",
    // All connections are one user's.
    sync: () => ({ limits: { connectionsPerUser: 10_000 } }),
  });
  const { url, key, accounts, documents } = service;
  const principal = await accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is not valid");
  if (nodes > 0) {
    await documents.use(principal.outline, (document) =>
      document.bulk(function* (outline) {
        let above = ROOT;
        for (let index = 0; index < nodes; index++) {
          const name = [{ insert: `node ${index}, with a name of usual length, as people write` }];
          const node = outline.createPlain({ parent: above, position: "bottom", name });
          // Ten levels deep, whatever the size: each create looks whether all above it are visible.
          if (index % 10 === 0) above = index % 100 === 0 ? ROOT : node;
          yield;
        }
      }),
    );
  }
  const other = await service.newUser("other");
  const keys: string[] = [];
  for (let index = 0; index < 10; index++) {
    const created = await accounts.createKey(principal.user, { name: `bench ${index}` });
    if (created.kind === "created") keys.push(created.key);
  }
  return { url: `${url.replace("http", "ws")}/sync/me`, key, keys, otherKey: other.key };
}

/**
 * Merges what came in one turn, or became durable in it, into one frame for everybody, as the service
 * does. Knows nothing of users, documents or what is in an update.
 */
async function serveRelay(isDurable: boolean): Promise<SyncServer> {
  const log = isDurable
    ? await BareGroupCommit.open(await mkdtemp(join(tmpdir(), "relay-")))
    : undefined;
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  const clients = new Set<WebSocket>();
  let batch: { readonly from: WebSocket; readonly update: Uint8Array }[] = [];
  const flush = (): void => {
    const updates = batch;
    batch = [];
    const authors = new Set(updates.map(({ from }) => from));
    const update = Y.mergeUpdates(updates.map((each) => each.update));
    const frame = encodeMessage({ kind: "update", update });
    for (const client of clients) {
      if (authors.size > 1 || !authors.has(client)) client.send(frame);
    }
  };
  server.on("connection", (client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
    client.on("message", (data) => {
      const decoder = decoding.createDecoder(new Uint8Array(data as Buffer));
      decoding.readVarUint(decoder);
      const kind = decoding.readVarUint(decoder);
      if (kind === 0) {
        client.send(encodeMessage({ kind: "step2", update: new Uint8Array([0, 0]) }));
        return;
      }
      const update = decoding.readVarUint8Array(decoder);
      const passOn = (): void => {
        batch.push({ from: client, update });
        if (batch.length === 1) setImmediate(flush);
      };
      if (log === undefined) passOn();
      else void log.append(update).then(passOn);
    });
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/sync/me`, key: "none", keys: ["none"], otherKey: "none" };
}

async function serveHocuspocus(): Promise<SyncServer> {
  const server = new Hocuspocus({
    port: 0,
    address: "127.0.0.1",
    quiet: true,
    stopOnSignals: false,
  });
  await server.listen();
  const url = `ws://127.0.0.1:${server.address.port}`;
  return { url, key: "none", keys: ["none"], otherKey: "none", prefix: HOCUSPOCUS_PREFIX };
}

function serve(role: SyncRole): Promise<SyncServer> {
  switch (role.kind) {
    case "service":
      return serveService(role.nodes);
    case "relay":
      return serveRelay(role.isDurable);
    case "hocuspocus":
      return serveHocuspocus();
  }
}

serveBench<SyncRole, SyncServer>(serve);
