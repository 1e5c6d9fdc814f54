import { expect, test } from "vitest";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { startService, type ServiceAnswer } from "../support/service.ts";

const MIB = 2 ** 20;
const LIMITS = {
  maxMemoryBytes: 8 * MIB,
  maxLargeBytes: 7 * MIB,
  smallOutlineBytes: MIB / 2,
  memoryWaitMs: 20,
};

function outcomeOf({ status, body, headers }: ServiceAnswer): unknown {
  return [status, (body as { code?: string }).code, headers.get("retry-after")];
}

test("[Q64] an outline beyond the memory is 507, one for which there is none now 503; others are served", async () => {
  const disk = newMemoryDisk();
  const before = await startService({ store: new MemoryStore({ disk }) });
  const name = "x".repeat(MIB - 100);
  const keys: string[] = [];
  for (const [user, texts] of [
    ["large", 5],
    ["one", 2],
    ["other", 2],
    ["small", 0],
  ] as const) {
    const { key } = await before.newUser(user);
    keys.push(key);
    for (let count = 0; count < texts; count++) {
      await before.request("POST", "/api/v1/nodes", { name }, { key });
    }
  }
  await before.close();

  const service = await startService({ store: new MemoryStore({ disk }), documentLimits: LIMITS });
  const [large = "", one = "", other = "", small = ""] = keys;
  const ask = async (key = "") => {
    return outcomeOf(await service.request("GET", "/api/v1/settings", undefined, { key }));
  };
  expect(await ask(large)).toEqual([507, "outline_too_large", null]);
  const user = (await service.accounts.listUsers()).find(({ id }) => id === "one");
  if (user === undefined) throw new Error("no such user");
  const { release } = await service.documents.open(user.outline);
  expect(await ask(other)).toEqual([503, "unavailable", "5"]);
  expect(await ask(one)).toEqual([200, undefined, null]);
  const { status } = await service.request("POST", "/api/v1/nodes", { name: "x" }, { key: small });
  expect(status).toBe(200);
  release();
  expect(await ask(other)).toEqual([200, undefined, null]);
  await service.close();
});
