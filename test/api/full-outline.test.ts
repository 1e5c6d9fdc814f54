import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import { startService, type ServiceAnswer, type TestService } from "../support/service.ts";

const MAX_NODES = 12;
const MIB = 2 ** 20;

let service: TestService;

beforeEach(async () => {
  service = await startService({
    exportLimitMs: 0,
    documentLimits: {
      outline: { ...DEFAULT_DOCUMENT_LIMITS.outline, maxNodes: MAX_NODES, maxBytes: 4 * MIB },
      sweepMs: 5,
      purgeQuietMs: 0,
    },
  });
});

afterEach(() => service.close());

function send(method: string, path: string, body?: unknown): Promise<ServiceAnswer> {
  return service.request(method, `/api/v1${path}`, body);
}

async function outcomeOf(answer: Promise<ServiceAnswer>): Promise<string> {
  const { status, body } = await answer;
  const { code } = body as { code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
}

async function create(name: string): Promise<string> {
  const { body } = await send("POST", "/nodes", { name, position: "bottom" });
  return (body as { item_id: string }).item_id;
}

async function namesIn(): Promise<readonly string[]> {
  const { body } = await send("GET", "/nodes-export");
  return (body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
}

test("[Q61] every way to add a node is answered 413 outline_full, with numbers, and changes nothing", async () => {
  const ids: string[] = [];
  for (let node = 1; node < MAX_NODES; node++) ids.push(await create(`node ${node}`));
  const before = await namesIn();
  const refused = [
    ["/nodes", { name: "a\n\nb" }],
    // Longer names are written in slices.
    ["/nodes", { name: "line\n\n".repeat(5_000) }],
    ["/nodes", { name: "x", parent_id: "today" }],
    [`/nodes/${ids[0]}/move`, { parent_id: "2026-11-20" }],
  ] as const;
  for (const [path, body] of refused) {
    expect([path, await outcomeOf(send("POST", path, body))]).toEqual([path, "413 outline_full"]);
  }
  const { body } = await send("POST", "/nodes", { name: "a\n\nb" });
  expect(body).toMatchObject({
    message: expect.stringMatching(/\b11\b.*\b12 nodes.*\b2\b/) as unknown,
  });
  expect(await outcomeOf(send("GET", `/nodes/${ids[0]}`))).toBe("200");
  expect(await create("the last")).toBeDefined();
  expect((await namesIn()).length).toBe(before.length + 1);
});

test("[Q61] a text that would take too much memory is 413 outline_full, and the node stays as it was", async () => {
  const id = await create("a".repeat(MIB - 100));
  await create("a".repeat(600_000));
  const long = "b".repeat(MIB - 100);
  expect(await outcomeOf(send("POST", "/nodes", { name: long }))).toBe("413 outline_full");
  expect(await outcomeOf(send("POST", `/nodes/${id}`, { note: long }))).toBe("413 outline_full");
  const { body } = await send("GET", `/nodes/${id}`);
  expect((body as { node: { note: string | null } }).node.note).toBeNull();
});

test("[Q62] what is deleted in a full outline makes room", async () => {
  const ids: string[] = [];
  for (let node = 0; node < MAX_NODES; node++) ids.push(await create(`node ${node}`));
  expect(await outcomeOf(send("POST", "/nodes", { name: "x" }))).toBe("413 outline_full");
  expect(await outcomeOf(send("POST", `/nodes/${ids[0]}/complete`))).toBe("200");
  expect(await outcomeOf(send("DELETE", `/nodes/${ids[1]}`))).toBe("200");
  await expect
    .poll(() => outcomeOf(send("POST", "/nodes", { name: "x" })), { timeout: 10_000 })
    .toBe("200");
});
