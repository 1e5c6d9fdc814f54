import { afterEach, expect, onTestFinished, test } from "vitest";
import { MemoryDisk } from "../../../../client/lib/store/memory-disk.ts";
import { MemoryReplicaStore } from "../../../../client/lib/store/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { TcpProxy } from "../../../support/tcp-proxy.ts";
import { add, copyOfDisk, ReplicaLab, untilNames } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[S60] what a killed program had on its way is there once when its device has written it anew", async () => {
  lab = await ReplicaLab.start();
  const network = await TcpProxy.start(Number(new URL(lab.service.url).port));
  onTestFinished(() => network.stop());
  const disk = new MemoryDisk();
  const answers: string[] = [];
  let isAlive = true;
  const store = new MemoryReplicaStore(disk);
  const platform = lab.hearing(({ kind }) => {
    if (["acknowledged", "refused"].includes(kind)) answers.push(kind);
    return isAlive;
  }, network.url);
  const killed = await lab.open({ store, url: network.url, platform });
  await killed.caughtUp();
  const line = add(killed, "line");
  await killed.saved();
  // Its id is that connection's now. What it types next stays in the network.
  network.hang("up");
  killed.edits.type(line, "name", { at: 0, remove: 0, insert: "late " });
  await killed.stored();
  await until(async () => (await store.read()).sentUpTo > 0, "what was typed to be sent");
  isAlive = false;
  const known = answers.length;

  const again = await lab.open({ store: new MemoryReplicaStore(await copyOfDisk(disk)) });
  await again.saved();
  await untilNames(again, ["late line"]);
  await network.pass();
  await until(() => answers.length > known, "what was on its way to be judged");
  expect(answers.slice(known)).toEqual(["refused"]);
  await untilNames(again, ["late line"]);
  expect(await lab.serverNames()).toEqual(["late line"]);
});
