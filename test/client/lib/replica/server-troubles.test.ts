import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Status } from "../../../../client/lib/status.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { startService } from "../../../support/service.ts";
import { until } from "../../../support/socket-until.ts";
import { TcpProxy } from "../../../support/tcp-proxy.ts";
import { add, names, ReplicaLab, untilNames, untilStatus } from "./lab.ts";

let lab: ReplicaLab;
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await lab.close();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

test("[L14] a revoked key stops the client, keeps the edits, and connect sends them after a new sign-in", async () => {
  lab = await ReplicaLab.start();
  const { accounts, user } = lab.service;
  const made = await accounts.createKey(user as never, { name: "device" });
  if (made.kind !== "created") throw new Error(made.kind);
  const disk = new MemoryDisk();
  const replica = await lab.open({ store: new MemoryReplicaStore(disk), key: made.key });
  await replica.caughtUp();
  const [record] = (await accounts.listKeys(user as never)).filter(({ name }) => name === "device");
  await accounts.revokeKey(user as never, record?.id ?? "");
  await until(() => replica.status.kind === "local" && replica.status.cause === "signed_out");
  add(replica, "after the end");
  await replica.stored();
  expect(replica.status).toMatchObject({ kind: "local", unsent: 1, cause: "signed_out" });
  await expect(replica.saved()).rejects.toMatchObject({ code: "signed_out" });
  replica.connect();
  await until(() => replica.status.kind === "local" && replica.status.cause === "signed_out");
  await replica.close();
  const signedIn = await lab.open({ store: new MemoryReplicaStore(disk) });
  await signedIn.saved();
  expect(await lab.serverNames()).toEqual(["after the end"]);
});

test("[L14] a key of somebody else brings nothing of this replica to the other's outline", async () => {
  lab = await ReplicaLab.start();
  const other = await lab.service.newUser("other");
  const disk = new MemoryDisk();
  const mine = await lab.open({ store: new MemoryReplicaStore(disk) });
  add(mine, "mine");
  await mine.saved();
  await mine.close();
  const wrong = await lab.open({ store: new MemoryReplicaStore(disk), key: other.key });
  await until(() => wrong.status.kind === "local" && wrong.status.cause === "signed_out");
  const { body } = await lab.service.request("GET", "/api/v1/nodes?parent_id=None", undefined, {
    key: other.key,
  });
  expect(body).toEqual({ nodes: [] });
});

test("[L14] a portal that refuses everything says nothing about the key: it is tried again", async () => {
  lab = await ReplicaLab.start();
  const asked: string[] = [];
  const portal = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(403, { "content-type": "text/html" }).end("<h1>Pay for this network</h1>");
  });
  await new Promise<void>((resolve) => portal.listen(0, "127.0.0.1", resolve));
  cleanUps.push(async () => portal.close());
  const { port } = portal.address() as AddressInfo;
  const replica = await lab.open({ url: `http://127.0.0.1:${port}` });
  await until(() => asked.filter((path) => path === "/session").length > 2, "it to be asked again");
  expect(replica.status).toMatchObject({ kind: "local", cause: "unreachable" });
});

test("[L15] a key that may only read shows everything, and says that edits stay here", async () => {
  lab = await ReplicaLab.start();
  const { accounts, user } = lab.service;
  const made = await accounts.createKey(user as never, { name: "reader", scope: "read" });
  if (made.kind !== "created") throw new Error(made.kind);
  await lab.post("to be read");
  const replica = await lab.open({ key: made.key });
  await untilNames(replica, ["to be read"]);
  await untilStatus(replica, "saved");
  add(replica, "for nobody");
  await replica.stored();
  await untilStatus(replica, "local");
  expect(replica.status).toMatchObject({ unsent: 1, cause: "read_only" });
  await expect(replica.saved()).rejects.toMatchObject({ code: "read_only" });
});

test("[L16] what the server has not acknowledged is not called saved, and is sent to the next server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "replica-"));
  cleanUps.push(() => rm(folder, { recursive: true }));
  lab = await ReplicaLab.start({ store: "level", folder });
  const port = Number(new URL(lab.service.url).port);
  const proxy = await TcpProxy.start(port);
  cleanUps.push(() => proxy.stop());
  const replica = await lab.open({ url: proxy.url });
  await replica.caughtUp();

  // A burst, in the midst of which the server is gone, its answers first.
  const saved: string[] = [];
  for (let count = 0; count < 200; count += 1) {
    add(replica, `node ${count}`);
    if (count === 100) proxy.hang("down");
    if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (replica.status.kind === "saved") saved.push(...names(replica));
  }
  await replica.stored();
  expect(replica.status.kind).not.toBe("saved");
  await lab.service.close();
  proxy.reset();

  const again = await startService({ store: "level", folder });
  cleanUps.unshift(() => again.close());
  const { body } = await again.request("GET", "/api/v1/nodes?parent_id=None");
  const kept = (body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
  for (const name of saved) expect(kept).toContain(name);
  proxy.target = Number(new URL(again.url).port);
  await proxy.pass();
  replica.connect();
  // The key of the first server is known to the second, which has its accounts.
  await replica.saved();
  const answer = await again.request("GET", "/api/v1/nodes?parent_id=None");
  const all = (answer.body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
  expect(new Set(all).size).toBe(200);
  expect(all).toHaveLength(200);
});

test("[L5] a network that hangs is noticed within five seconds, and what comes back late still counts", async () => {
  lab = await ReplicaLab.start();
  const proxy = await TcpProxy.start(Number(new URL(lab.service.url).port));
  cleanUps.push(() => proxy.stop());
  let skewMs = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  const elapsed = (): number => performance.now() + skewMs;
  const replica = await lab.open({
    url: proxy.url,
    platform: {
      elapsed,
      setTimer(callback, ms) {
        const timer = { at: elapsed() + ms, callback };
        timers.add(timer);
        if (ms < 1_000) setTimeout(() => timers.delete(timer) && callback(), ms);
        return () => timers.delete(timer);
      },
    },
  });
  /** Moves the clock; what is due happens. */
  const advance = (ms: number): void => {
    skewMs += ms;
    for (const timer of timers) {
      if (timer.at <= elapsed() && timers.delete(timer)) timer.callback();
    }
  };
  const statuses: Status["kind"][] = [];
  await untilStatus(replica, "saved");
  const isSoon = ({ at }: { readonly at: number }): boolean => at < elapsed() + 30_000;
  await until(() => ![...timers].some(isSoon), "nothing to be waited for but a look a minute");
  replica.onStatus(({ kind }) => statuses.push(kind));
  proxy.hang();
  add(replica, "into the void");
  await replica.stored();
  await untilStatus(replica, "saving");
  advance(4_001);
  expect(replica.status).toMatchObject({ kind: "local", unsent: 1, cause: "unreachable" });
  await proxy.pass();
  await replica.saved();
  expect(statuses.slice(0, 2)).toEqual(["saving", "local"]);
  expect(statuses.at(-1)).toBe("saved");
});
