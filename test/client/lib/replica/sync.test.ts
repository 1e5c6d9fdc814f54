import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { add, names, ReplicaLab, untilNames, untilStatus } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[L1] what is done on one device is on the server and on every other", async () => {
  lab = await ReplicaLab.start();
  const one = await lab.open();
  const other = await lab.open();
  add(one, "from one");
  await one.saved();
  expect(await lab.serverNames()).toEqual(["from one"]);
  await untilNames(other, ["from one"]);
  add(other, "from the other");
  await lab.post("from the API");
  await untilNames(one, ["from one", "from the other", "from the API"]);
  await other.saved();
  expect(one.status).toEqual({ kind: "saved" });
  expect(names(one)).toEqual(names(other));
});

test("[L2] a replica that comes back has everything at once and fetches only what it lacks", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  for (let count = 0; count < 50; count += 1) add(first, `node ${count}`);
  await first.saved();
  const seq = first.seq;
  await first.close();
  await lab.post("meanwhile");
  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  expect(names(again)).toHaveLength(50);
  expect(again.seq).toBe(seq);
  await untilStatus(again, "saved");
  await untilNames(again, ["meanwhile", ...Array.from({ length: 50 }, (_, at) => `node ${at}`)]);
});
