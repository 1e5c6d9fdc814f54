import { setTimeout as wait } from "node:timers/promises";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import { SocketPeer } from "../../support/socket-peer.ts";
import { until } from "../../support/socket-until.ts";
import type { KeyWorld } from "./key-world.ts";
import { nodeKeyIn } from "./key-world.ts";
import { PATIENCE_MS } from "../hostile-messages/patience.ts";

/** Where a key is closed for good. */
const UNAUTHORIZED_CLOSE = 4401;

/** Shorter than a websocket may take to say what it wants. */
const VALID_S = 5;

interface Ending {
  readonly failures: readonly string[];
  /** From the end of the key to the end of its last websocket. */
  readonly closedAfterMs: number;
}

/** How a key can end, each on a user of its own. */
export const ENDINGS = ["revoked by API", "revoked", "user removed", "expired"] as const;

/**
 * Opens websockets with a key, in both dialects, greeted and not, ends the key in one way, and looks
 * whether all of them end, another key's stays, and the key opens nothing any more.
 */
export async function endKey(
  world: KeyWorld,
  name: string,
  how: (typeof ENDINGS)[number],
): Promise<Ending> {
  const { service } = world;
  const port = Number(new URL(service.url).port);
  const { user, key: otherKey } = await world.newVictim(name);
  const expiresAt = Math.floor(service.now() / 1000) + VALID_S;
  const { id, key } = await world.newKey(user, how === "expired" ? { expiresAt } : {});
  const open = (protocol: string, offered: string): Promise<SocketPeer> =>
    SocketPeer.connect({ port, headers: { "sec-websocket-protocol": `${protocol}, ${offered}` } });
  const peers = await Promise.all([
    open(SUBPROTOCOL.stock, key),
    open(SUBPROTOCOL.stock, key),
    open(SUBPROTOCOL.extended, key),
    open(SUBPROTOCOL.extended, key),
  ]);
  const bystander = await open(SUBPROTOCOL.stock, otherKey);
  const step1 = encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) });
  const hello = {
    kind: "hello",
    version: 1,
    instance: new Uint8Array(16),
    epoch: "",
    seq: 0,
  } as const;
  peers[0]?.frame(step1);
  peers[2]?.frame(encodeMessage(hello));
  bystander.frame(step1);
  await until(() => bystander.messages.length > 0, "a bystander", PATIENCE_MS);

  const endedAt = performance.now();
  if (how === "expired") world.advance((VALID_S + 1) * 1000);
  else if (how === "revoked by API")
    await service.request("DELETE", `/api/v1/keys/${id}`, undefined, { key: otherKey });
  else if (how === "revoked") await service.accounts.revokeKey(user, id);
  else await service.accounts.removeUser(user);
  const failures: string[] = [];
  const isOver = (): boolean =>
    peers.every(({ closeCode, isClosed }) => closeCode !== undefined || isClosed);
  await until(isOver, "the end", PATIENCE_MS).catch(() =>
    failures.push(`${how}: websockets stayed open`),
  );
  const closedAfterMs = performance.now() - endedAt;
  for (const { closeCode } of peers) {
    if (closeCode !== UNAUTHORIZED_CLOSE) failures.push(`${how}: closed with ${closeCode}`);
  }
  const { status } = await service.request("GET", "/api/v1/nodes", undefined, { key });
  if (status !== 401) failures.push(`${how}: the key is answered ${status}`);
  const again = await open(SUBPROTOCOL.stock, key);
  if (again.answer.status !== 401) failures.push(`${how}: a websocket: ${again.answer.status}`);
  if (how !== "user removed") {
    await wait(0);
    if (bystander.closeCode !== undefined) failures.push(`${how}: another key was closed too`);
  }
  for (const peer of [...peers, bystander, again]) peer.socket.destroy();
  return { failures, closedAfterMs };
}

/** A key limited to a node that is moved, then deleted: it reaches that node's part, then nothing. */
export async function loseRoot(world: KeyWorld, name: string): Promise<readonly string[]> {
  const { service } = world;
  const { user, key: whole, nodeIds } = await world.newVictim(name);
  const [outside = "", root = "", inside = ""] = nodeIds;
  const { key } = await world.newKey(user, { root: nodeKeyIn(root) });
  const port = Number(new URL(service.url).port);
  const failures: string[] = [];
  const expectStatuses = async (when: string, expected: readonly number[]): Promise<void> => {
    const paths = [
      `/nodes/${root}`,
      `/nodes/${inside}`,
      "/nodes",
      "/nodes-export",
      `/search?q=&root=${root}`,
      `/search?q=&root=${outside}`,
      `/nodes/${outside}`,
      `/../llm/doc/read/${inside}/`,
      `/../llm/doc/read/${outside}/`,
      `/nodes/${inside}/backlinks`,
      `/nodes/${outside}/backlinks`,
    ];
    const statuses: number[] = [];
    for (const path of paths) {
      const { status } = await service.request("GET", `/api/v1${path}`, undefined, { key });
      statuses.push(status);
    }
    const headers = { "sec-websocket-protocol": `yjs, ${key}` };
    const peer = await SocketPeer.connect({ port, headers });
    peer.socket.destroy();
    statuses.push(peer.answer.status);
    if (statuses.join() !== expected.join()) failures.push(`${when}: ${statuses.join()}`);
  };
  await expectStatuses("before", [200, 200, 200, 200, 200, 404, 404, 200, 404, 200, 404, 403]);
  await service.request("POST", `/api/v1/nodes/${root}/move`, { parent_id: null }, { key: whole });
  await expectStatuses(
    "after a move",
    [200, 200, 200, 200, 200, 404, 404, 200, 404, 200, 404, 403],
  );
  await service.request("DELETE", `/api/v1/nodes/${root}`, undefined, { key: whole });
  await expectStatuses(
    "after the deletion",
    [404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 404, 403],
  );
  return failures;
}
