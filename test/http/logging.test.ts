import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { startService } from "../support/service.ts";

type Line = Readonly<Record<string, unknown>>;

/** A logger as the server has it, whose lines a test can read. */
function readableLogger(level: string) {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { logger: pino({ level }, stream), lines };
}

test("[E36] a request is one line, without address, key or text", async () => {
  const { logger, lines } = readableLogger("debug");
  const service = await startService({ logger });
  const cookie = await service.signIn();
  lines.length = 0;
  try {
    const { key } = service;
    const { body } = await service.request(
      "POST",
      "/api/v1/nodes?secret-query",
      { name: "secret-name", note: "secret-note" },
      { headers: { cookie } },
    );
    const { item_id: id } = body as { item_id: string };
    await service.request("GET", `/api/v1/nodes/${id}?parent_id=secret-query`);
    await service.request("GET", "/api/v1/nodes?parent_id=secret-shortcut");
    await service.request("GET", "/api/v1/nodes/secret-shortcut");
    await service.request("GET", "/api/v1/secret-path");
    await service.request("GET", "/api/v1/nodes/%zzsecret");
    await service.request("POST", "/api/v1/nodes", '{"name":"secret');
    await service.request("POST", "/session", { key });
    await service.request("POST", "/session", { key: "secret-wrong-key" });
    await expect.poll(() => lines.length).toBe(9);

    const [keyId] = (await service.accounts.listKeys(service.user as never)).map(({ id }) => id);
    const seen = lines.map((line) => {
      const { level, method, route, status, code, key, durationMs, msg } = JSON.parse(line) as Line;
      // What went well is of interest only to who looks for something.
      expect(level).toBe(status === 200 ? 20 : 30);
      expect([typeof durationMs, msg]).toEqual(["number", "request"]);
      return [method, route, status, code, key === keyId];
    });
    expect(seen).toEqual([
      ["POST", "/api/v1/nodes", 200, undefined, true],
      ["GET", "/api/v1/nodes/:id", 200, undefined, true],
      ["GET", "/api/v1/nodes", 404, "not_found", true],
      ["GET", "/api/v1/nodes/:id", 404, "not_found", true],
      ["GET", "none", 404, "not_found", true],
      ["GET", "none", 400, "invalid_request", true],
      ["POST", "/api/v1/nodes", 400, "invalid_request", true],
      ["POST", "/session", 200, undefined, false],
      ["POST", "/session", 401, "unauthorized", false],
    ]);
    for (const secret of ["secret", key, id, id.slice(-12), "127.0.0.1"]) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    }
  } finally {
    await service.close();
  }
});

test("[E36] who is refused by their rights or their limits is named by the handle of the key", async () => {
  const { logger, lines } = readableLogger("info");
  const service = await startService({ logger, limits: { keyRequestsPerMinute: 4 } });
  try {
    const made = await service.request("POST", "/api/v1/keys", { name: "reader", scope: "read" });
    const { id, key } = made.body as { id: string; key: string };
    await service.request("POST", "/api/v1/nodes", { name: "x" }, { key });
    for (let count = 0; count < 3; count++) {
      await service.request("GET", "/api/v1/nodes", undefined, { key });
    }
    await expect.poll(() => lines.length).toBe(2);
    expect(lines.map((line) => JSON.parse(line) as Line)).toMatchObject([
      { method: "POST", status: 403, code: "forbidden", key: id },
      { method: "GET", status: 429, code: "rate_limited", key: id },
    ]);
  } finally {
    await service.close();
  }
});

test("[E36] nothing is logged of requests when the level is higher", async () => {
  const { logger, lines } = readableLogger("warn");
  const service = await startService({ logger });
  try {
    await service.request("GET", "/api/v1/nodes");
    await service.request("GET", "/api/v1/nothing");
    await service.request("POST", "/api/v1/nodes", "nonsense");
    expect(lines).toEqual([]);
  } finally {
    await service.close();
  }
});
