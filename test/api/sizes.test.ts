import { describe, expect } from "vitest";

import { startService } from "../support/service.ts";
import { Api, outcomeOf } from "./support/api.ts";
import { newUserName, test } from "./support/api-test.ts";

const MIB = 1024 * 1024;

/** A create whose JSON has exactly that many bytes, most of them in an unknown field. */
function bodyOfSize(bytes: number): string {
  const shell = JSON.stringify({ name: "x", padding: "" });
  return JSON.stringify({ name: "x", padding: "a".repeat(bytes - shell.length) });
}

describe("name and note", () => {
  test.for(["name", "note"] as const)("[E14] a %s of 1 MiB is kept", async (field, { api }) => {
    const text = "a".repeat(MIB);
    const id = await api.create({ name: "x", [field]: text });
    expect((await api.node(id))[field] === text).toBe(true);
    const other = text.replaceAll("a", "b");
    await api.update(id, { [field]: other });
    expect((await api.node(id))[field] === other).toBe(true);
  });

  test.for([
    ["name", "a".repeat(MIB + 1)],
    ["note", "a".repeat(MIB + 1)],
    // 3 bytes of UTF-8 each, in fewer characters than the limit has bytes
    ["name", "日".repeat(Math.ceil((MIB + 1) / 3))],
    ["note", "日".repeat(Math.ceil((MIB + 1) / 3))],
  ] as const)("[E14] a %s of a byte more changes nothing", async ([field, text], { api }) => {
    const id = await api.create({ name: "x" });
    const before = await api.state();
    const outcome = (path: string, json: object) => api.outcome("POST", path, json);
    expect(await outcome("/nodes", { name: "x", [field]: text })).toBe("413 too_large");
    expect(await outcome(`/nodes/${id}`, { name: "y", [field]: text })).toBe("413 too_large");
    expect(await api.state()).toEqual(before);
  });

  test("[E14] the largest name in three-byte characters is kept", async ({ api }) => {
    const name = "日".repeat(Math.floor(MIB / 3));
    const id = await api.create({ name, note: name });
    const node = await api.node(id);
    expect([node.name === name, node.note === name]).toEqual([true, true]);
  });
});

describe("bodies", () => {
  test("[E15] of 10 MiB are read", async ({ api }) => {
    const answer = await api.request("POST", "/nodes", { raw: bodyOfSize(10 * MIB) });
    expect(outcomeOf(answer)).toBe("200");
  });

  const refused = async (api: Api, send: (path: string) => Promise<string>) => {
    const id = await api.create({ name: "x" });
    const before = await api.state();
    const paths = ["/nodes", `/nodes/${id}`, `/nodes/${id}/move`, "/targets", "/settings", "/keys"];
    for (const path of paths) expect([path, await send(path)]).toEqual([path, "413 too_large"]);
    expect(await api.state()).toEqual(before);
  };

  test("[E15] of a byte more are refused", async ({ api }) => {
    const raw = bodyOfSize(10 * MIB + 1);
    await refused(api, async (path) => outcomeOf(await api.request("POST", path, { raw })));
  });

  test("[E15] of 11 MiB in chunks, without an announced length, are refused", async ({
    api,
    service,
  }) => {
    const chunk = new TextEncoder().encode(" ".repeat(64 * 1024));
    await refused(api, async (path) => {
      let chunks = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          controller.enqueue(chunk);
          chunks += 1;
          if (chunks === 11 * 16) controller.close();
        },
      });
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${api.key}` },
        body,
        duplex: "half",
      });
      const { code } = (await response.json()) as { code: string };
      return `${response.status} ${code}`;
    });
  });
});

test("[E14, E15] both limits can be set", async () => {
  const service = await startService({ limits: { textBytes: 10, bodyBytes: 100 } });
  try {
    const { key } = await service.newUser(newUserName());
    const api = new Api(service.url, key);
    const raw = (bytes: number) => ({ raw: bodyOfSize(bytes) });
    expect(await api.outcome("POST", "/nodes", { name: "a".repeat(10) })).toBe("200");
    expect(await api.outcome("POST", "/nodes", { name: "a".repeat(11) })).toBe("413 too_large");
    expect(outcomeOf(await api.request("POST", "/nodes", raw(100)))).toBe("200");
    expect(outcomeOf(await api.request("POST", "/nodes", raw(101)))).toBe("413 too_large");
  } finally {
    await service.close();
  }
});
