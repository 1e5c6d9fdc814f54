import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { TcpProxy } from "../../../support/tcp-proxy.ts";
import { add, names, ReplicaLab } from "./lab.ts";

const NODES = 40;
const NAME = "x".repeat(10_000);
const PIECE = 4_000;

let lab: ReplicaLab;
let proxy: TcpProxy;
let carrying: NodeJS.Timeout;

afterEach(async () => {
  clearInterval(carrying);
  await lab.close();
  await proxy.stop();
});

test("[S49] a device whose line breaks in its first state goes on there after a restart, with what was written meanwhile", async () => {
  lab = await ReplicaLab.start();
  for (let index = 0; index < NODES; index++) await lab.post(`${index} ${NAME}`);
  proxy = await TcpProxy.start(Number(new URL(lab.service.url).port));
  proxy.hang("down");
  let carried = 0;
  let limit = 200_000;
  carrying = setInterval(() => {
    carried += proxy.take("down", Math.min(PIECE, limit - carried));
  }, 1);

  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk), url: proxy.url });
  await until(() => carried === limit);
  proxy.dropConnections();
  add(first, "written on the device");
  await first.stored();
  await first.close();

  limit = Infinity;
  const second = await lab.open({ store: new MemoryReplicaStore(disk), url: proxy.url });
  await second.caughtUp();
  await second.saved();
  expect(names(second)).toHaveLength(NODES + 1);
  expect([...(await lab.serverNames())].sort()).toEqual([...names(second)].sort());
  // Once, but for what was on its way when the line broke.
  expect(carried).toBeLessThan(NODES * NAME.length + 120_000);
});
