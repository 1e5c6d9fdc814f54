import { expect, onTestFinished, test } from "vitest";
import { nodeIdOf } from "../../../src/core/node-key.ts";
import { metaOf, VERSION } from "../../../src/core/schema.ts";
import { add, ReplicaLab } from "../lib/replica/lab.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { clockAhead } from "../../support/clock-ahead.ts";
import { until } from "../../support/socket-until.ts";

test("[N36] what a device types within a minute is modified each time that it comes", async () => {
  const pass = clockAhead();
  const lab = await ReplicaLab.start();
  onTestFinished(() => lab.close());
  const replica = await lab.open();
  await replica.caughtUp();
  const line = add(replica, "line");
  await replica.saved();
  const { outline } = await lab.session();
  const modifiedAt = async (): Promise<number> => {
    const path = `/api/v1/nodes/${nodeIdOf(outline as never, line)}`;
    const { body } = await lab.service.request("GET", path);
    return (body as { node: { modifiedAt: number } }).node.modifiedAt;
  };
  const times = [await modifiedAt()];
  for (const letter of ["a", "b", "c"]) {
    pass(1_100);
    replica.edits.type(line, "name", { at: 0, remove: 0, insert: letter });
    await replica.saved();
    times.push(await modifiedAt());
  }
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
});

test("[D77, L23] a page that says another schema stops no device", async () => {
  const lab = await ReplicaLab.start();
  onTestFinished(() => lab.close());
  const replica = await lab.open();
  await replica.caughtUp();
  add(replica, "first");
  await replica.saved();
  const page = connectStockClient(lab.service.url, lab.service.key);
  onTestFinished(() => page.leave());
  await until(() => page.provider.synced, "the first sync");
  metaOf(page.doc).set(VERSION, 99);
  await until(() => page.closeCodes.length > 0, "the refusal");
  const second = add(replica, "second");
  expect(replica.outline.has(second)).toBe(true);
  await replica.saved();
  expect(replica.status.kind).toBe("saved");
  expect(await lab.serverNames()).toEqual(["first", "second"]);
  expect(metaOf(replica.outline.doc).get(VERSION)).toBe(2);
});
