import { once } from "node:events";
import { copyFile, readdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { useProgramFolder } from "./program-folder.ts";

const program = useProgramFolder();
const FIXTURES = fileURLToPath(new URL("../fixtures/tls", import.meta.url));

function filesOf(name: "first" | "second"): { readonly cert: string; readonly key: string } {
  return { cert: join(FIXTURES, `${name}.cert.pem`), key: join(FIXTURES, `${name}.key.pem`) };
}

/** Asks on a connection of its own. @returns the body, and whose certificate it was */
async function ask(url: string, key: string): Promise<{ body: string; name: string }> {
  const headers = { authorization: `Bearer ${key}` };
  const request = httpsRequest(url, { headers, rejectUnauthorized: false, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { socket } = response;
  if (!(socket instanceof TLSSocket)) throw new Error("not by TLS");
  const name = String(socket.getPeerCertificate().subject.CN);
  return { body: await text(response), name };
}

test("[C23, C24, C7] the server speaks TLS, with the files as they are now; commands work", async () => {
  const cert = join(program.path, "cert.pem");
  const key = join(program.path, "key.pem");
  await copyFile(filesOf("first").cert, cert);
  await copyFile(filesOf("first").key, key);
  const environment = { OUTLINE_TLS_CERT: cert, OUTLINE_TLS_KEY: key };
  const server = await program.start({ environment });
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const own = (await program.run(["key", "add", "--name", "tls"])).out.trim();
  expect(await ask(`${server.url}/healthz`, "")).toMatchObject({ body: '{"status":"ok"}' });
  const list = `${server.url}/api/v1/nodes`;
  expect(await ask(list, own)).toEqual({ body: '{"nodes":[]}', name: "first.outline.test" });
  await copyFile(filesOf("second").cert, cert);
  await copyFile(filesOf("second").key, key);
  await expect
    .poll(async () => (await ask(list, own)).name, { timeout: 60_000, interval: 500 })
    .toBe("second.outline.test");
  expect((await server.stop("SIGTERM")).code).toBe(0);
});

test("[C23] a start with files that can't be used changes nothing", async () => {
  const none = join(FIXTURES, "none.pem");
  const environment = { OUTLINE_TLS_CERT: none, OUTLINE_TLS_KEY: filesOf("first").key };
  const { code, err } = await program.run(["serve", "--port", "0"], { environment });
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`OUTLINE_TLS_CERT: ${none} can't be read.`),
  ]);
  expect(await readdir(program.path)).toEqual([]);
});
