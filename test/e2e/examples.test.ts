import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { OPTION_DESCRIPTIONS } from "../../src/config.ts";
import { freePort } from "../support/free-port.ts";
import { Cluster, missingOf } from "./cluster.ts";
import { Writers } from "./cluster-writers.ts";
import type { ServerProcess } from "./server-process.ts";
import { connectStockClient } from "./stock-client.ts";

const run = promisify(execFile);
const EXAMPLES = fileURLToPath(new URL("../../docs/examples/", import.meta.url));
const PATIENCE = { timeout: 60_000 };

async function isThere(command: string, ...args: readonly string[]): Promise<boolean> {
  return run(command, [...args]).then(
    () => true,
    () => false,
  );
}

const HAS_HAPROXY = await isThere("haproxy", "-v");
const HAS_SYSTEMD = await isThere("systemd-analyze", "--version");

/** A test that a machine without a program names as not run. */
function testWith(isThere: boolean, program: string, title: string, run: () => Promise<void>) {
  if (isThere) test(title, run);
  else test.skip(`${title}, NOT RUN: there is no ${program} here`);
}

test("the examples name no option that the program does not have", async () => {
  const known = new Set(OPTION_DESCRIPTIONS.map(({ variable }) => variable));
  // Of HAProxy's example itself.
  for (const name of ["BIND", "ONE", "TWO", "THREE"]) known.add(`OUTLINE_${name}`);
  const files = await readdir(EXAMPLES);
  expect(files.toSorted()).toEqual([
    "Dockerfile",
    "compose.yaml",
    "haproxy.cfg",
    "one.env",
    "outline@.service",
  ]);
  const named: string[] = [];
  for (const file of files) {
    const text = await readFile(`${EXAMPLES}${file}`, "utf8");
    named.push(...(text.match(/OUTLINE_[A-Z_]+/g) ?? []));
  }
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(named).toContain("OUTLINE_CLUSTER_LISTEN");
});

testWith(HAS_SYSTEMD, "systemd", "the unit is one that systemd takes", async () => {
  const { stderr } = await run("systemd-analyze", ["verify", `${EXAMPLES}outline@.service`]);
  expect(stderr.split("\n").filter((line) => line.includes("outline@"))).toEqual([]);
});

/** HAProxy with the example, before some processes. */
function balance(processes: readonly ServerProcess[], port: number): ChildProcess {
  const [one, two, three] = processes.map(({ url }) => new URL(url).host);
  return spawn("haproxy", ["-db", "-f", `${EXAMPLES}haproxy.cfg`], {
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      OUTLINE_BIND: `127.0.0.1:${port}`,
      OUTLINE_ONE: one,
      OUTLINE_TWO: two,
      OUTLINE_THREE: three,
    },
  });
}

async function end(balancer: ChildProcess): Promise<void> {
  const ended = once(balancer, "exit");
  balancer.kill("SIGKILL");
  await ended;
}

testWith(
  HAS_HAPROXY,
  "HAProxy",
  "HAProxy with the example answers programs while no process is ready",
  async () => {
    const nobody = { url: `http://127.0.0.1:${await freePort()}` } as ServerProcess;
    const port = await freePort();
    const balancer = balance([nobody, nobody, nobody], port);
    try {
      const ask = () => fetch(`http://127.0.0.1:${port}/api/v1/nodes`);
      await expect
        .poll(
          () =>
            ask().then(
              ({ status }) => status,
              () => 0,
            ),
          PATIENCE,
        )
        .toBe(503);
      const answer = await ask();
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(await answer.json()).toMatchObject({ code: "unavailable" });
    } finally {
      await end(balancer);
    }
  },
);

testWith(
  HAS_HAPROXY,
  "HAProxy",
  "[P101, P104] HAProxy with the example serves by way of three processes, of which the owner is restarted",
  async () => {
    const cluster = await Cluster.start();
    let balancer: ChildProcess | undefined;
    try {
      const environment = { OUTLINE_TRUSTED_PROXIES: "127.0.0.1" };
      const ports = [await freePort(), await freePort(), await freePort()];
      const start = (index: number) =>
        cluster.newProcess(`process ${index}`, {
          environment: { ...environment, OUTLINE_PORT: String(ports[index]) },
        });
      const processes = [await start(0), await start(1), await start(2)];
      const port = await freePort();
      balancer = balance(processes, port);
      const front = { ...processes[0], url: `http://127.0.0.1:${port}` } as ServerProcess;
      await expect.poll(() => cluster.add(front, "first").catch(() => false), PATIENCE).toBe(true);
      // One key comes to one process, which has the outline: nothing is passed on, by socket or not.
      for (let line = 0; line < 20; line += 1)
        expect(await cluster.add(front, `${line}`)).toBe(true);
      const client = connectStockClient(front.url, cluster.key);
      await expect.poll(() => client.provider.synced, PATIENCE).toBe(true);
      const metrics = await Promise.all(
        processes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
      );
      const passed = metrics.flatMap((text) => text.match(/^outline_passed_total\{.*/gm) ?? []);
      expect(passed.filter((line) => !line.endsWith(" 0"))).toEqual([]);
      const writers = new Writers(cluster, [{ ...front, name: "front", address: "" }]);
      await writers.more(30);
      const owner = await cluster.ownerAmong(processes);
      const index = processes.indexOf(owner);
      expect(await owner.stop("SIGTERM")).toMatchObject({ code: 0 });
      await writers.more(30);
      processes[index] = await start(index);
      await writers.more(30);
      await writers.stop();
      await expect.poll(() => client.provider.synced, PATIENCE).toBe(true);
      client.leave();
      expect(missingOf(await cluster.names(front), writers.acknowledged)).toEqual([]);
      expect(await cluster.lossOf(writers.acknowledged)).toEqual([]);
    } finally {
      if (balancer !== undefined) await end(balancer);
      await cluster.stop();
    }
  },
);
