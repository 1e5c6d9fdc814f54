import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { TcpProxy } from "../../../support/tcp-proxy.ts";
import { add, names, NOWHERE, ReplicaLab } from "./lab.ts";

let lab: ReplicaLab;
let proxy: TcpProxy | undefined;

afterEach(async () => {
  await lab.close();
  await proxy?.stop();
  proxy = undefined;
});

test("[L28] a new replica without a server can be written to, and learns later whose outline it is", async () => {
  lab = await ReplicaLab.start();
  await lab.post("on the server");
  proxy = await TcpProxy.start(Number(new URL(NOWHERE).port));
  const disk = new MemoryDisk();
  const replica = await lab.open({ store: new MemoryReplicaStore(disk), url: proxy.url });
  const nobody = replica.outline.id;
  const key = add(replica, "written before");
  let replaced = 0;
  replica.onReplaced(() => (replaced += 1));

  proxy.target = Number(new URL(lab.service.url).port);
  replica.connect();
  await replica.saved();
  await until(() => replaced === 1, "it to be known");
  const { outline } = await lab.session();
  expect([replica.outline.id, nobody === outline]).toEqual([outline, false]);
  expect(replica.edits.complete([key], true)).toEqual({ kind: "ok" });
  await replica.saved();
  expect([...names(replica)].sort()).toEqual(["on the server", "written before"]);
  await replica.close();
  expect((await new MemoryReplicaStore(disk).read()).outline).toBe(outline);
});

test("[L4] a device that comes online connects at once", async () => {
  lab = await ReplicaLab.start();
  proxy = await TcpProxy.start(Number(new URL(NOWHERE).port));
  let comeOnline = (): void => undefined;
  const longTimers: number[] = [];
  const replica = await lab.open({
    url: proxy.url,
    platform: {
      // Only the device itself brings this one back.
      setTimer(_callback, ms) {
        longTimers.push(ms);
        return () => undefined;
      },
      onOnline(listener) {
        comeOnline = listener;
        return () => undefined;
      },
    },
  });
  await until(() => replica.status.kind === "local" && longTimers.length > 1, "the first failure");
  proxy.target = Number(new URL(lab.service.url).port);
  comeOnline();
  await replica.caughtUp();
  expect(replica.status).toEqual({ kind: "saved" });
});
