import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/socket-until.ts";
import { Cluster, missingOf } from "./cluster.ts";
import { Writers } from "./cluster-writers.ts";
import { runProgram } from "./server-process.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

const ZOMBIE = builtProgram("zombie-process.ts", import.meta.url);

/** Keeps the thread for longer than a lease when the program makes the server for its clients. */
const SLOW_START = `data:text/javascript,${encodeURIComponent(`
  import http from "node:http";
  import { syncBuiltinESMExports } from "node:module";
  const { createServer } = http;
  http.createServer = (options, ...rest) => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    if ("connectionsCheckingInterval" in options) Atomics.wait(cell, 0, 0, 5000);
    return createServer(options, ...rest);
  };
  syncBuiltinESMExports();`)}`;

let cluster: Cluster;
beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.stop());

test("[P103] an owner that is killed under load loses nothing, and another one takes over at once", async () => {
  const processes = [];
  for (const name of ["one", "two", "three"]) processes.push(await cluster.newProcess(name));
  const writers = new Writers(cluster, processes);
  for (let kill = 0; kill < 4; kill += 1) {
    await writers.more(30);
    const owner = await cluster.ownerAmong(processes);
    await owner.stop("SIGKILL");
    await until(
      async () => (await cluster.ownerAddress()) !== owner.address,
      "another owner",
      60_000,
    );
    await writers.more(30);
    const again = await cluster.newProcess(owner.name);
    processes[processes.indexOf(owner)] = again;
  }
  await writers.stop();
  expect(await cluster.lossOf(writers.acknowledged)).toEqual([]);
});

/** Stops the owner until another one has its outlines, and wakes it; tells what that has spoilt. */
async function stopAndWake(defect: "lease" | "fence" | undefined) {
  const owner = await cluster.newProcess("owner", defect === undefined ? {} : zombie(defect));
  expect(await cluster.add(owner, "first")).toBe(true);
  const other = await cluster.newProcess("other");
  const before = new Writers(cluster, [owner, other]);
  await before.more(30);
  await before.stop();
  owner.send("SIGSTOP");
  // Reads are asked of the next owner: a write that waits for this one would tell it that it is late.
  await until(async () => (await cluster.names(other)) !== undefined, "another owner", 60_000);
  expect(await cluster.ownerAddress()).toBe(other.address);
  const others = new Writers(cluster, [other]);
  await others.more(30);
  await others.stop();
  const acknowledged = [...before.acknowledged, ...others.acknowledged];
  // What waits for it comes to it when it wakes; a broken one would notice by it.
  const waiting = new Writers(cluster, defect === undefined ? [owner] : []);
  owner.send("SIGCONT");
  let names: readonly string[] | undefined;
  await until(async () => (names = await cluster.names(owner)) !== undefined, "an answer", 60_000);
  const stale = missingOf(names, acknowledged);
  await waiting.more(defect === undefined ? 30 : 0);
  await waiting.stop();
  const behind = new Writers(cluster, [owner]);
  // A broken one may notice by the number of what it has written that there is more.
  await behind.more(defect === "fence" ? 1 : 30);
  await behind.stop();
  const all = [...acknowledged, ...waiting.acknowledged, ...behind.acknowledged];
  return { stale, lost: await cluster.lossOf(all) };
}

function zombie(defect: string) {
  return {
    program: [ZOMBIE, "serve"],
    environment: { OUTLINE_ZOMBIE: defect },
  };
}

test("[P103] an owner that stands still and wakes serves nothing old, and writes behind nobody", async () => {
  expect(await stopAndWake(undefined)).toEqual({ stale: [], lost: [] });
});

test("[P103] an owner without a lease is found out: it serves what is old", async () => {
  expect((await stopAndWake("lease")).stale.length).toBeGreaterThan(0);
});

test("[P103] an owner without a fence is found out: what was acknowledged is lost", async () => {
  expect((await stopAndWake("fence")).lost.length).toBeGreaterThan(0);
});

test("[P103] an owner that is cut off from the database serves nothing, and comes back", async () => {
  const proxy = await TcpProxy.start(cluster.database.port);
  try {
    const port = Number(new URL(proxy.url).port);
    const owner = await cluster.newProcess("owner", { port });
    expect(await cluster.add(owner, "first")).toBe(true);
    const other = await cluster.newProcess("other");
    const writers = new Writers(cluster, [owner, other]);
    for (const cut of [() => proxy.hang(), () => proxy.hang("down"), () => proxy.reset()]) {
      await until(async () => (await cluster.names(owner)) !== undefined, "an answer", 60_000);
      await writers.more(30);
      cut();
      await until(
        async () => (await cluster.ownerAddress()) === other.address,
        "another owner",
        60_000,
      );
      await writers.more(30);
      // It says so, or answers by way of the other one.
      const known = [...writers.acknowledged];
      const names = await cluster.names(owner);
      expect(names === undefined ? [] : missingOf(names, known)).toEqual([]);
      await proxy.pass();
      await until(async () => (await cluster.names(owner)) !== undefined, "an answer", 60_000);
      expect(missingOf(await cluster.names(owner), known)).toEqual([]);
    }
    await writers.stop();
    expect(await cluster.lossOf(writers.acknowledged)).toEqual([]);
  } finally {
    await proxy.stop();
  }
});

test("[P92] a process starts that is kept from the database for longer than its lease meanwhile", async () => {
  await cluster.newProcess("one");
  const slow = await cluster.newProcess("slow", { nodeOptions: ["--import", SLOW_START] });
  await until(() => cluster.add(slow, "first"), "an answer", 60_000);
});

test("[P103] when the database is killed nothing is lost, and all processes come back", async () => {
  const processes = [await cluster.newProcess("one"), await cluster.newProcess("two")];
  const writers = new Writers(cluster, processes);
  for (let kill = 0; kill < 3; kill += 1) {
    await writers.more(30);
    await cluster.database.kill();
    await cluster.database.begin();
    await writers.more(30);
  }
  await writers.stop();
  expect(await cluster.lossOf(writers.acknowledged)).toEqual([]);
});

test("[P104] processes that are restarted one after the other lose nothing, and refuse nothing for good", async () => {
  const processes = [];
  for (const name of ["one", "two", "three"]) processes.push(await cluster.newProcess(name));
  const writers = new Writers(cluster, processes);
  for (const [index, process] of [...processes].entries()) {
    await writers.more(30);
    const stopped = process.stop("SIGTERM");
    // Others read on, whoever owns the outline.
    const reader = processes[(index + 1) % processes.length];
    if (reader === undefined) throw new Error("three processes");
    for (;;) {
      // A long answer may be broken off with the process that makes it: who asks again gets it.
      const asked = cluster.ask(reader, "nodes?parent_id=inbox").catch(() => undefined);
      const answer = await Promise.race([stopped, asked]);
      if (answer !== undefined && "code" in answer) break;
      if (answer !== undefined) expect([200, 503]).toContain(answer.status);
    }
    expect(await stopped).toMatchObject({ code: 0 });
    processes[index] = await cluster.newProcess(process.name);
  }
  await writers.more(30);
  await writers.stop();
  const check = await runProgram(["check"], cluster.optionsOf("one"));
  expect(check).toMatchObject({ code: 0 });
  expect(await cluster.lossOf(writers.acknowledged)).toEqual([]);
});
