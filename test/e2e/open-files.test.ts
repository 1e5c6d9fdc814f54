import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { call, useProgramFolder } from "./program-folder.ts";

const program = useProgramFolder();

/** Enough for the store to begin new files, more than once. */
const WRITES = 60;
const NAME_BYTES = 100_000;

test("[Q10, P3] whoever opens all connections that there can be keeps nobody from writing", async () => {
  const openFiles = 256;
  const server = await program.start({ openFiles });
  // On a connection that is there before.
  await call(server, server.key, "GET", "nodes");
  const { port } = new URL(server.url);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (let count = 0; count < 2 * openFiles; count++) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    sockets.push(socket);
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
  }
  const statuses = new Map<number, number>();
  for (let count = 0; count < WRITES; count++) {
    const name = randomBytes(NAME_BYTES / 2).toString("hex");
    const { status } = await call(server, server.key, "POST", "nodes", { name });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(statuses).toEqual(new Map([[200, WRITES]]));
  expect(server.err()).toContain(`"openFiles":${openFiles}`);
});

test("[C10] a server that may open few files starts, and serves", async () => {
  const server = await program.start({ openFiles: 64 });
  const { status } = await call(server, server.key, "POST", "nodes", { name: "one" });
  expect(status).toBe(200);
  expect((await fetch(server.url)).status).toBe(200);
  expect(server.err()).toContain('"openFiles":64');
});
