import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { indentedOutline } from "../support/large-outline.ts";
import { useStage } from "../support/stage.ts";
import { runs } from "../../support/runs.ts";

const stage = useStage();

const NODES = runs(20_000, 100_000);
const MB = 1024 * 1024;

/*
 * Counts, not times: what they cost is measured by `npm run bench:client`.
 */
test("tens of thousands of nodes: few rows in the page, and everything within reach", async () => {
  const { server } = stage;
  const folder = await mkdtemp(join(tmpdir(), "outline-large-"));
  const key = await server.addUser("large");
  try {
    const file = join(folder, "large.txt");
    await writeFile(file, indentedOutline(NODES));
    await server.command("import", file, "--user", "large");
  } finally {
    await rm(folder, { recursive: true });
  }

  const device = await stage.device(key);
  const { page } = device;
  const rows = page.locator("[role=treeitem]");
  await expect.poll(() => rows.count(), SOON).toBeGreaterThan(10);
  await device.reaches("saved");
  const tree = page.getByRole("tree", { name: "Outline" });
  const first = (await device.rows())[0];
  if (first === undefined) throw new Error("there is no row");

  // Scrolling through all of it, in jumps.
  const most: number[] = [];
  for (const part of [0.25, 0.5, 0.75, 1]) {
    await tree.evaluate((element, to) => {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        at.scrollTop = at.scrollHeight * to;
      }
    }, part);
    await expect
      .poll(async () => (await device.rows()).some((row) => row.key === first.key), SOON)
      .toBe(false);
    most.push(await rows.count());
  }
  await expect.poll(async () => (await device.rows()).at(-1)?.name, SOON).toContain(`${NODES - 1}`);
  expect(Math.max(...most)).toBeLessThanOrEqual(70);

  // Finding one of them, and writing into it.
  await page.getByLabel("Search", { exact: true }).fill(`${NODES - 2}`);
  await expect.poll(async () => (await device.sketch()).at(-1), SOON).toContain(`${NODES - 2}`);
  expect(await rows.count()).toBeLessThanOrEqual(70);
  const found = (await device.rows()).at(-1);
  if (found === undefined) throw new Error("nothing was found");
  await device.focus(found.key);
  await device.type(" found");
  await device.reaches("saved");
  const { body } = await server.call("GET", `nodes/${found.key}`, undefined, key);
  expect(JSON.stringify(body)).toContain(`${NODES - 2} found`);

  const devtools = await device.devtools();
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  expect(usedSize / MB).toBeLessThanOrEqual(150);
});
