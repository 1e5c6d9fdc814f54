import { execFile } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { useProgramFolder } from "./program-folder.ts";
import { keyIn, launchServer, type ServerProcess } from "./server-process.ts";

const program = useProgramFolder();
const TLS = fileURLToPath(new URL("../fixtures/tls", import.meta.url));

/** A request that is accepted and never ends. */
async function hang({ url, key }: ServerProcess): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const head = `POST /api/v1/nodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
  socket.write(`${head}Content-Length: 10\r\nExpect: 100-continue\r\n\r\n`);
  // The server says that it waits for the body.
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  return socket;
}

test("[C11] a request that never ends holds a stop up no longer than the limit", async () => {
  const server = await program.start({ environment: { OUTLINE_STOP_TIMEOUT_MS: "100" } });
  const socket = await hang(server);
  const { code, err } = await server.stop("SIGTERM");
  socket.destroy();
  expect(code).toBe(0);
  expect(err).toContain("did not finish in time");
  expect(err).toContain('"msg":"stopped"');
});

test("[C11] a server whose terminal is closed stops as it does when it is told to", async () => {
  const server = await program.start();
  const { code, err } = await server.stop("SIGHUP");
  expect(code).toBe(0);
  expect(err).toContain('"msg":"stopped"');
});

test("[C11] a server that is told to stop while it starts shows its first key, and stops", async () => {
  const cert = join(program.path, "cert.pem");
  await promisify(execFile)("mkfifo", [cert]);
  const tls = { OUTLINE_TLS_CERT: cert, OUTLINE_TLS_KEY: join(TLS, "first.key.pem") };
  const server = launchServer({ data: program.data, environment: tls });
  // It is open when the server reads it.
  const pipe = await open(cert, "w");
  server.send("SIGTERM");
  await pipe.writeFile(await readFile(join(TLS, "first.cert.pem")));
  await pipe.close();
  const { code, out, err } = await server.ended;
  expect(code).toBe(0);
  expect(keyIn(out)).not.toBe("");
  expect(err).toContain('"msg":"stopped"');
});

test("[C11] a second signal ends it at once, also when the clock is set back meanwhile", async () => {
  const setBack = `const { now } = Date; let hours = 0;
    process.on("SIGINT", () => (hours += 1)); Date.now = () => now() - hours * 3_600_000;`;
  const nodeOptions = ["--import", `data:text/javascript,${encodeURIComponent(setBack)}`];
  const environment = { OUTLINE_STOP_TIMEOUT_MS: "100000" };
  const server = await program.start({ environment, nodeOptions });
  const socket = await hang(server);
  const stopped = server.stop("SIGINT");
  await vi.waitFor(() => expect(server.err()).toContain('"msg":"stopping"'), { timeout: 10_000 });
  // The first repeats count as the same signal.
  const repeats = setInterval(() => server.send("SIGINT"), 50);
  const { code, err } = await stopped;
  clearInterval(repeats);
  socket.destroy();
  expect(code).toBe(1);
  expect(err).not.toContain('"msg":"stopped"');
  // What it held is free again.
  expect(await program.start()).toMatchObject({ key: "" });
});

test("[C11] an error that nobody handled is logged and ends it with 1, after it has let go", async () => {
  const broken = 'process.on("SIGUSR2", () => { throw new Error("a defect"); });';
  const nodeOptions = ["--import", `data:text/javascript,${encodeURIComponent(broken)}`];
  const server = await program.start({ nodeOptions });
  const { code, err } = await server.stop("SIGUSR2");
  expect(code).toBe(1);
  expect(err).toContain("a defect");
  expect(err).toContain('"msg":"stopped"');
});
