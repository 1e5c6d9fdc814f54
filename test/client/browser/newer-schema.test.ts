import { expect, test, vi } from "vitest";
import { ROOT } from "../../../src/core/node-key.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

test("[D77] a program that says a newer schema shuts nobody out", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  const other = connectStockClient(server.url, key);
  try {
    await vi.waitFor(() => expect(other.outline.children(ROOT)).toHaveLength(1), SOON);
    other.doc.getMap("meta").set("v", 99);
    await device.focus(line);
    await device.type(" and on");
    await device.reaches("saved");
    await device.shows(["start and on"]);
    const witness = connectStockClient(server.url, key);
    await vi.waitFor(() => expect(witness.outline.children(ROOT)).toHaveLength(1), SOON);
    expect(witness.doc.getMap("meta").get("v")).toBe(2);
    witness.leave();
  } finally {
    other.leave();
  }
});
