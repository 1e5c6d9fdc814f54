import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

const sessions = () => stage.server.metric("outline_sync_sessions");

test("two tabs: one socket, no doubled rows, and the other takes over when the leader closes", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  await expect.poll(sessions, SOON).toBe(0);
  const first = await stage.device(key);
  await first.reaches("saved");
  const second = await first.newTab();
  await second.shows(["start"]);
  await second.reaches("saved");
  expect(await sessions()).toBe(1);

  // Both write, in both directions, and into the same line.
  await second.focus(line);
  await second.type(" second");
  await first.shows(["start second"]);
  await first.focus(line, "Home");
  await first.type("first ");
  await second.shows(["first start second"]);
  await second.press("Enter");
  await second.type("a new line");
  for (const tab of [first, second]) await tab.shows(["first start second", "a new line"]);
  await first.reaches("saved");
  await second.reaches("saved");
  expect(await server.sketch(key)).toEqual(["first start second", "a new line"]);

  // What others write comes to both, once.
  await server.create("by REST", undefined, key);
  for (const tab of [first, second]) {
    await tab.shows(["first start second", "a new line", "by REST"]);
  }

  await first.page.close();
  await second.type(", later");
  await second.shows(["first start second", "a new line, later", "by REST"]);
  await expect
    .poll(() => server.sketch(key), SOON)
    .toEqual(["first start second", "a new line, later", "by REST"]);
  await second.reaches("saved");
  expect(await sessions()).toBe(1);
  await second.reload();
  await second.shows(["first start second", "a new line, later", "by REST"]);
  expect(second.problems).toEqual([]);
});

test("two tabs offline: both keep what they write, and all of it is sent by whoever is left", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const first = await stage.device(key, { installs: true });
  await first.reaches("saved");
  await first.installed();
  const second = await first.newTab();
  await second.shows(["start"]);
  await first.network.refuse();
  await second.focus(line);
  await second.press("Enter");
  await second.type("by the second");
  await second.reaches("local");
  await first.focus(line, "Home");
  await first.type("by the first: ");
  await second.shows(["by the first: start", "by the second"]);
  // Stored on this device: what a closed tab wrote is not lost with it.
  await first.reaches("local");
  await second.page.close();
  await first.reload();
  await first.shows(["by the first: start", "by the second"]);
  await first.network.pass();
  await first.reaches("saved");
  expect(await server.sketch(key)).toEqual(["by the first: start", "by the second"]);
});

test("a tab with a newer version of the app: the old one is told to reload and goes on sending", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const old = await stage.device(key);
  await old.reaches("saved");
  const newer = await old.context.newPage();
  await newer.goto(`${old.network.url}/manifest.webmanifest`);
  await newer.evaluate(async () => {
    for (const { name = "", version = 0 } of await indexedDB.databases()) {
      await new Promise((resolve) => {
        const request = indexedDB.open(name, version + 1);
        for (const type of ["success", "error"]) request.addEventListener(type, resolve);
      });
    }
  });
  const banner = old.page.locator("[data-part=banner]");
  await expect.poll(() => banner.textContent(), SOON).toMatch(/newer version/);
  await expect.poll(() => banner.getByRole("button").textContent(), SOON).toBe("Reload");
  await old.focus(line);
  await old.type(" goes on");
  await expect.poll(() => server.sketch(key), SOON).toEqual(["start goes on"]);
});
