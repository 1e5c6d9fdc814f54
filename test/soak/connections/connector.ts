/** A process of its own that opens many connections, and opens them again when they end. */
import { setTimeout as delay } from "node:timers/promises";
import type { WebSocket } from "ws";
import { serveTasks } from "../task-worker.ts";
import type { ConnectorOptions, ConnectorReport, ConnectorTasks } from "./connector-process.ts";
import { openSynced, type SocketOptions, UnreachableError } from "./synced-socket.ts";

/** After how long a client gives a server that is away another try, at most. */
const RETRY_MS = 1_000;
const DEADLINE_MS = 60_000;

let options: ConnectorOptions = { url: "", keys: [], addresses: [], count: 0, withinMs: 0 };
const sockets = new Set<WebSocket>();
let ended: Promise<unknown>[] = [];

function socketOptions(index: number): SocketOptions {
  const { url, keys, addresses } = options;
  return {
    url,
    key: keys[index % keys.length] ?? "",
    dialect: index % 2 === 0 ? "stock" : "extended",
    localAddress: addresses[index % addresses.length] ?? "",
  };
}

/** Once; or again and again while no server is there. */
async function open(index: number, isPatient: boolean): Promise<void> {
  const until = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      const socket = await openSynced(socketOptions(index));
      sockets.add(socket);
      ended.push(new Promise((resolve) => socket.once("close", resolve)));
      return;
    } catch (error) {
      const mayTryAgain = isPatient && error instanceof UnreachableError;
      if (!mayTryAgain || performance.now() > until) throw error;
      await delay(Math.random() * RETRY_MS);
    }
  }
}

async function openAll(): Promise<ConnectorReport> {
  const startedAt = performance.now();
  const opening: Promise<string | undefined>[] = [];
  for (let index = 0; index < options.count; index++) {
    const wait = startedAt + (index * options.withinMs) / options.count - performance.now();
    if (wait > 1) await delay(wait);
    opening.push(failureOf(open(index, false)));
  }
  return reportOf(await Promise.all(opening), startedAt);
}

/** Waits until the server has gone, and comes again with everybody. */
async function openAllAgain(): Promise<ConnectorReport> {
  await Promise.all(ended);
  ended = [];
  sockets.clear();
  const startedAt = performance.now();
  const opening = Array.from({ length: options.count }, (_, index) => failureOf(open(index, true)));
  return reportOf(await Promise.all(opening), startedAt);
}

/** Taken note of at once: one that nobody waits for yet would end the process. */
function failureOf(opening: Promise<void>): Promise<string | undefined> {
  return opening.then(() => undefined, String);
}

function reportOf(results: readonly (string | undefined)[], startedAt: number): ConnectorReport {
  const failures = results.filter((failure) => failure !== undefined);
  return { opened: sockets.size, failures, tookMs: performance.now() - startedAt };
}

serveTasks<ConnectorTasks>({
  async begin(given) {
    options = given;
    return undefined;
  },
  open: openAll,
  openAgain: openAllAgain,
});
