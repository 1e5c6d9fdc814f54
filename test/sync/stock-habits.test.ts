import { expect, onTestFinished, test } from "vitest";
import * as Y from "yjs";
import { dayKey, INBOX, newOutlineId, type NodeKey, ROOT } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { ATTRIBUTE, metaOf, nodesOf, shortcutsOf, textOf, VERSION } from "../../src/core/schema.ts";
import { connectStockClient, type StockClient } from "../e2e/stock-client.ts";
import { clockAhead } from "../support/clock-ahead.ts";
import { plant } from "../support/outline-notation.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/socket-until.ts";

interface Served {
  readonly name: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly completedAt: number | null;
  readonly data: { readonly layoutMode: string };
}

interface Habit {
  readonly service: TestService;
  readonly client: StockClient;
  /** Two lines that all have. */
  readonly x: NodeKey;
  readonly y: NodeKey;
  /** What the API answers of a node's children, in their order. */
  readonly list: (parent?: string) => Promise<readonly Served[]>;
  /** The first line, as the API answers it. */
  readonly first: () => Promise<Served | undefined>;
}

const YEAR_SEC = 365 * 86_400;
/** How far ahead a clock may be that is believed (M11), and what the test takes. */
const SLACK_SEC = 90;

/** A page with y-websocket alone beside a server with two lines. */
async function beside(): Promise<Habit> {
  const service = await startService();
  onTestFinished(() => service.close());
  const client = connectStockClient(service.url, service.key);
  onTestFinished(() => client.leave());
  await until(() => client.provider.synced, "the first sync");
  const { x = ROOT, y = ROOT } = plant(client.outline, "x y");
  const list = async (parent = "None"): Promise<readonly Served[]> => {
    const { body } = await service.request("GET", `/api/v1/nodes?parent_id=${parent}`);
    return (body as { readonly nodes: readonly Served[] }).nodes;
  };
  await until(async () => (await list()).length === 2, "both lines");
  return { service, client, x, y, list, first: async () => (await list())[0] };
}

function textAt({ doc }: StockClient, key: NodeKey): Y.Text {
  const text = textOf(nodesOf(doc), key);
  if (text === undefined) throw new Error("the node is there");
  return text;
}

test("[D65] who keeps what was overwritten, and undoes, saves what was set three times offline", async () => {
  const { client, x, y, service, first } = await beside();
  client.doc.gc = false;
  const undo = new Y.UndoManager(nodesOf(client.doc));
  client.provider.disconnect();
  for (const layout of ["h1", "h2", "h3"] as const) client.outline.update(x, { layout });
  for (const node of [x, y, x]) client.outline.setShortcut("work", node);
  for (const weekStart of [0, 6, 3] as const) client.outline.configure({ weekStart });
  client.outline.update(x, { name: "typed" });
  undo.undo();
  undo.redo();
  client.provider.connect();
  await until(async () => (await first())?.name === "typed", "what was typed");
  expect((await first())?.data.layoutMode).toBe("h3");
  const settings = await service.request("GET", "/api/v1/settings");
  expect(settings.body).toMatchObject({ weekStart: 3 });
  expect(client.closeCodes).not.toContain(4400);
});

test("[N36] what is typed twice within a minute is modified twice", async () => {
  const pass = clockAhead();
  const { client, x, first } = await beside();
  client.outline.update(x, { name: "once" });
  await until(async () => (await first())?.name === "once");
  const once = (await first())?.modifiedAt ?? Infinity;
  pass(1_100);
  client.outline.update(x, { name: "twice" });
  await until(async () => (await first())?.name === "twice");
  expect((await first())?.modifiedAt).toBeGreaterThan(once);
});

test("[M11] a page that is a year ahead leaves no time that is to come", async () => {
  const { client, x, y, service, list } = await beside();
  const ahead = Outline.attach(client.doc, {
    id: newOutlineId(() => 0),
    now: () => Date.now() + YEAR_SEC * 1000,
    random: Math.random,
  });
  ahead.update(x, { name: "renamed" });
  ahead.setCompleted(x, true);
  ahead.create({ parent: ROOT, position: "bottom", name: "made" });
  ahead.move(x, { parent: y });
  await until(async () => (await list()).some(({ name }) => name === "made"), "the new line");
  const latest = Date.now() / 1000 + SLACK_SEC;
  const nodes = [...(await list()), ...(await list(y))];
  expect(nodes.map(({ name }) => name).toSorted()).toEqual(["made", "renamed", "y"]);
  for (const { createdAt, modifiedAt, completedAt } of nodes) {
    expect(Math.max(createdAt, modifiedAt, completedAt ?? 0)).toBeLessThan(latest);
  }
  // What is moved later is moved, by whose clock ever.
  const back = await service.request("POST", `/api/v1/nodes/${x}/move`, { parent_id: "None" });
  expect(back.status).toBe(200);
  expect((await list()).map(({ name }) => name)).toContain("renamed");
});

test("[D63] times that no clock has are refused, and the page is told so", async () => {
  const { client, x, list } = await beside();
  const before = await list();
  textAt(client, x).setAttribute(ATTRIBUTE.completed, Number.MAX_SAFE_INTEGER);
  await until(() => client.closeCodes.includes(4400), "the refusal");
  expect(await list()).toEqual(before);
});

test("[D77] a page that says another schema changes nobody's", async () => {
  const { client, service, x, first } = await beside();
  const before = metaOf(client.doc).get(VERSION);
  metaOf(client.doc).set(VERSION, 99);
  client.outline.update(x, { name: "typed" });
  const other = connectStockClient(service.url, service.key);
  onTestFinished(() => other.leave());
  await until(() => other.provider.synced);
  expect(metaOf(other.doc).get(VERSION)).toBe(before);
  const answer = await service.request("POST", "/api/v1/nodes", { name: "by REST" });
  expect(answer.status).toBe(200);
  await until(async () => (await first())?.name === "by REST");
});

test.each([
  ["inbox", INBOX, "Inbox"],
  ["2026-11-20", dayKey(2026, 11, 20), expect.stringContaining("Nov 20, 2026")],
] as const)(
  "[K1, D41] %s that a page takes out of the map is there again with its name",
  async (reference, key, name) => {
    const { client, service, x, list } = await beside();
    await service.request("POST", "/api/v1/nodes", { name: "old", parent_id: reference });
    await until(() => nodesOf(client.doc).has(key), "the node");
    nodesOf(client.doc).delete(key);
    client.outline.update(x, { name: "typed" });
    await until(async () => (await list()).some((each) => each.name === "typed"));
    await service.request("POST", "/api/v1/nodes", { name: "new", parent_id: reference });
    const { body } = await service.request("GET", `/api/v1/nodes/${reference}`);
    expect(body).toMatchObject({ node: { name } });
    expect((await list(reference)).map((each) => each.name)).toContain("new");
  },
);

test("[D48] names that mean something else are no shortcuts, whoever writes them", async () => {
  const { client, service, x, first } = await beside();
  for (const name of ["inbox", "today", "2026-11-20", "a/b"]) shortcutsOf(client.doc).set(name, x);
  client.outline.update(x, { name: "typed" });
  await until(async () => (await first())?.name === "typed");
  const { body } = await service.request("GET", "/api/v1/targets");
  const { targets } = body as { readonly targets: readonly { type: string; key: string }[] };
  expect(targets.filter(({ type }) => type === "shortcut")).toEqual([]);
});

test("[D23] a line whose place can't be read is the last at the top", async () => {
  const { client, x, list } = await beside();
  textAt(client, x).setAttribute(ATTRIBUTE.placement, "nonsense");
  await until(async () => (await list()).at(-1)?.name === "x", "it to be the last");
  expect((await list()).map(({ name }) => name)).toEqual(["y", "x"]);
});
