import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { SkippedBodies } from "../../../src/http/intake/skipped-bodies.ts";
import { RawConnection } from "../../support/raw-http.ts";

test("[Q12] what is left of a refused body is read a little at a time, as its turn comes", async () => {
  const turns: (() => void)[] = [];
  const skipped = new SkippedBodies(() => new Promise((resolve) => turns.push(resolve)));
  const server = createServer();
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = await RawConnection.open(`http://127.0.0.1:${port}`);
  const bytes = 1024 * 1024;
  client.request("POST /", { "content-length": String(bytes) });
  const [request, response] = await asked;
  skipped.watch(request, response, "192.0.2.1");
  response.writeHead(413, { "content-length": "2" }).end("no");
  expect((await client.answer()).status).toBe(413);
  client.write(Buffer.alloc(bytes, " "));
  let rounds = 0;
  while (!request.complete) {
    await expect.poll(() => turns.length > 0 || request.complete, { timeout: 60_000 }).toBe(true);
    turns.shift()?.();
    rounds += 1;
  }
  // A read buffer has 64 KiB.
  expect(rounds).toBeGreaterThan(bytes / (256 * 1024));
  client.close();
});
