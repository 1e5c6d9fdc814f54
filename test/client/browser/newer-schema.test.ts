import { expect, test, vi } from "vitest";
import { ROOT } from "../../../src/core/node-key.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

test("an outline of a newer schema: an old client says so, asks for a reload, and loses nothing", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  await device.installed();
  await device.network.refuse();
  await device.focus(line);
  await device.type(" written offline");
  await device.shows(["start written offline"]);
  await device.reaches("local");

  // Meanwhile a newer program has taken the outline over.
  const newer = connectStockClient(server.url, key);
  try {
    await vi.waitFor(() => expect(newer.outline.children(ROOT)).toHaveLength(1), SOON);
    newer.doc.getMap("meta").set("v", 2);
    newer.doc.getMap("meta").set("something-new", "kept");
    const witness = connectStockClient(server.url, key);
    await vi.waitFor(() => expect(witness.doc.getMap("meta").get("v")).toBe(2), SOON);
    witness.leave();
  } finally {
    newer.leave();
  }

  await device.network.pass();
  const banner = device.page.locator("[data-part=banner]");
  await expect.poll(() => banner.textContent(), SOON).toMatch(/[Rr]eload/);
  expect((await device.status()).state).not.toBe("saved");
  // Nothing was lost: it is shown, and it is still there after the reload that the person is asked for.
  await device.shows(["start written offline"]);
  await device.reload();
  await device.shows(["start written offline"]);
});
