import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { expect, onTestFinished } from "vitest";
import { ROOT, type OutlineId } from "../../../src/core/node-key.ts";
import { UnavailableError } from "../../../src/documents/log/unavailable-error.ts";
import { runs } from "../../support/runs.ts";
import { startService, type TestService } from "../../support/service.ts";
import { slowClock } from "../../support/slow-clock.ts";
import { test } from "../http-test.ts";
import { WatchedReads } from "../watched-reads.ts";

interface Exported {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly priority: number;
}

const BRANCHES = 100;

interface Planted {
  readonly key: string;
  readonly outline: OutlineId;
}

let users = 0;

/**
 * A user whose outline has 100 nodes at the top level and the others evenly below them.
 * @param length of what each of those says besides where it is, in characters
 */
async function planted(service: TestService, size: number, length = 0): Promise<Planted> {
  users += 1;
  const { key } = await service.newUser(`planted-${users}`);
  const principal = await service.accounts.authenticate(key);
  if (principal === undefined) throw new Error("a new key that is not valid");
  await service.documents.use(principal.outline, (document) =>
    document.bulk(function* (outline) {
      for (let branch = 0; branch < BRANCHES; branch += 1) {
        const name = [{ insert: `branch ${branch}` }];
        const parent = outline.createPlain({ parent: ROOT, position: "bottom", name });
        for (let leaf = 1; leaf < size / BRANCHES; leaf += 1) {
          const text = [
            { insert: `leaf ${leaf} of branch ${branch}, with a name of ${"x".repeat(length)}` },
          ];
          outline.createPlain({ parent, position: "bottom", name: text });
          yield;
        }
      }
    }),
  );
  return { key, outline: principal.outline };
}

/** The answer to an export, of which nothing is read yet. */
async function startedExport(
  { url }: TestService,
  { key }: Planted,
  query = "",
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}` };
  const request = httpRequest(`${url}/api/v1/nodes-export${query}`, { headers, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  onTestFinished(() => void response.destroy());
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

async function restOf(response: IncomingMessage): Promise<readonly Exported[]> {
  return (JSON.parse(await textOf(response)) as { nodes: readonly Exported[] }).nodes;
}

/** Resolves when a number has not changed for a while of event loop turns. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1, quiet = 0; ;) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    quiet = count() === last ? quiet + 1 : 0;
    last = count();
    if (quiet === 40) return last;
  }
}

test("[E30] an export is whole and as at one moment, whatever changes meanwhile", async ({
  service,
}) => {
  // More than what is under way in sockets.
  const user = await planted(service, 2_000, 3_000);
  const before = await restOf(await startedExport(service, user));
  const [first, ...branches] = before.filter((node) => node.parent_id === null);
  const watch = new WatchedReads(service);
  const response = await startedExport(service, user);
  const post = (path: string, body: object) =>
    service.request("POST", `/api/v1/nodes${path}`, body, { key: user.key });
  for (const branch of branches.slice(20, 40)) {
    const options = { key: user.key };
    await service.request("DELETE", `/api/v1/nodes/${branch.id}`, undefined, options);
  }
  for (const branch of branches.slice(60, 80)) {
    await post(`/${branch.id}/move`, { parent_id: first?.id });
  }
  await post("", { name: "new", position: "top" });
  await post("", { name: "new", position: "bottom" });
  // It is still on its way.
  expect(watch.held).toBe(1);
  const placeOf = ({ id, parent_id, priority, name }: Exported) => [id, parent_id, priority, name];
  expect((await restOf(response)).map(placeOf)).toEqual(before.map(placeOf));
  const after = await restOf(await startedExport(service, user));
  expect(after.length).toBe(2_000 - 20 * 20 + 2);
});

/** Without what is as it was when it was written. */
function placesIn(text: string): string {
  return text.replaceAll(/ _modified="\d+"/g, "");
}

test.for(["opml", "markdown", "text"])(
  "[E30, U43] an export as %s is whole and as at one moment, made a few nodes at a time",
  async (format) => {
    const service = await startService({ exportLimitMs: 0, elapsed: slowClock(1) });
    onTestFinished(() => service.close());
    const user = await planted(service, 1500);
    const query = `?format=${format}`;
    const [first, ...branches] = (await restOf(await startedExport(service, user))).filter(
      (node) => node.parent_id === null,
    );
    const before = await textOf(await startedExport(service, user, query));
    const watch = new WatchedReads(service);
    const response = await startedExport(service, user, query);
    const post = (path: string, body: object) =>
      service.request("POST", `/api/v1/nodes${path}`, body, { key: user.key });
    for (const branch of branches.slice(60, 80)) {
      await post(`/${branch.id}/move`, { parent_id: first?.id });
    }
    await post("", { name: "new", position: "top" });
    expect(placesIn(await textOf(response))).toBe(placesIn(before));
    expect(watch.reads).toBeGreaterThan(150);
    expect(watch.mostBytes).toBeLessThan(10 * 400);
    await expect.poll(() => watch.held).toBe(0);
    const after = await textOf(await startedExport(service, user, query));
    expect(placesIn(after)).not.toBe(placesIn(before));
  },
);

test("[E29] an export waits for who reads it slowly, and ends when they leave", async ({
  service,
}) => {
  // Megabytes more than what is under way in sockets.
  const nodes = 3_000;
  const user = await planted(service, nodes, 4_000);
  const watch = new WatchedReads(service);
  const whole = await restOf(await startedExport(service, user));
  const readsOfWhole = watch.reads;
  expect([whole.length, watch.held]).toEqual([nodes, 0]);

  watch.reads = 0;
  const response = await startedExport(service, user);
  const waiting = await settled(() => watch.reads);
  expect(waiting).toBeLessThan(readsOfWhole / 2);
  expect(watch.held).toBe(1);
  response.destroy();
  await expect.poll(() => watch.held).toBe(0);
  expect(await settled(() => watch.reads)).toBe(waiting);
});

test("[E29] an export that fails on the way breaks off", async ({ service }) => {
  const user = await planted(service, 1_000, 1_000);
  const watch = new WatchedReads(service);
  watch.beforeRead = (read) => {
    if (read === 8) throw new UnavailableError("the disk is full");
  };
  const response = await startedExport(service, user);
  expect(response.statusCode).toBe(200);
  await expect(restOf(response)).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect.poll(() => watch.held).toBe(0);
});

test("[E24, E29] an export that fails before its first byte is refused", async ({ service }) => {
  const user = await planted(service, 200);
  const watch = new WatchedReads(service);
  watch.beforeRead = () => {
    throw new UnavailableError("the disk is full", { retryAfterMs: 2500 });
  };
  const { key } = user;
  const path = "/api/v1/nodes-export";
  const { status, headers, body } = await service.request("GET", path, undefined, { key });
  expect([status, headers.get("retry-after"), (body as { code: string }).code]).toEqual([
    503,
    "3",
    "unavailable",
  ]);
  await expect.poll(() => watch.held).toBe(0);
});

test("[E31] a large export is made a few nodes at a time", async () => {
  // A clock on which a turn has time for a few steps, on any machine.
  const service = await startService({ exportLimitMs: 0, elapsed: slowClock(1) });
  onTestFinished(() => service.close());
  const nodes = runs(1_500, 100_000);
  const user = await planted(service, nodes);
  const watch = new WatchedReads(service);
  expect((await restOf(await startedExport(service, user))).length).toBe(nodes);
  expect(watch.reads).toBeGreaterThan(nodes / 10);
  expect(watch.mostBytes).toBeLessThan(10 * 400);
});
