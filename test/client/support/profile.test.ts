import { expect, test } from "vitest";
import { useStage } from "./stage.ts";

const stage = useStage();

test("who gets a browser that was lent before finds nothing of who had it", async () => {
  const key = await stage.person();
  await stage.server.create("secret", undefined, key);
  const before = await stage.device(key);
  await before.shows(["secret"]);
  await before.reaches("saved");
  await before.newTab();
  await before.page.setViewportSize({ width: 400, height: 400 });
  const { databases } = await before.page.evaluate(async () => {
    localStorage.setItem("left", "secret");
    sessionStorage.setItem("left", "secret");
    await caches.open("left");
    return { databases: (await indexedDB.databases()).length };
  });
  expect(databases).toBe(1);
  await before.network.refuse();
  await before.close();

  const after = await stage.stranger();
  expect(after.context).toBe(before.context);
  await after.page.getByLabel("Your key").waitFor();
  const found = await after.page.evaluate(async () => ({
    stored: [localStorage.getItem("left"), sessionStorage.getItem("left")],
    databases: (await indexedDB.databases()).length,
    caches: await caches.keys(),
    entries: history.length,
    opener: window.opener as unknown,
    width: innerWidth,
  }));
  expect(found).toEqual({
    stored: [null, null],
    databases: 0,
    caches: [],
    entries: 1,
    opener: null,
    width: 1280,
  });
  expect(await after.context.cookies()).toEqual([]);
});
