import { describe, expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** Waits until the page says aloud that this device does not keep what is written. */
async function isTold(device: Device, reason: RegExp): Promise<void> {
  await device.reaches("unsaved");
  const banner = device.page.locator("[data-part=banner]");
  await expect.poll(() => banner.textContent(), SOON).toMatch(reason);
}

/** Whether the page would ask before it is left. */
async function asksBeforeLeaving({ page }: Device): Promise<boolean> {
  return page.evaluate(() => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  });
}

/** Types a line at the end of the first row and waits until the server has it. */
async function stillSends(device: Device, key: string, line: string): Promise<void> {
  await device.focus(line);
  await device.type(" and more");
  await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start and more"]);
}

async function openStart(): Promise<{ key: string; line: string; device: Device }> {
  const key = await stage.person();
  const line = await stage.server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.shows(["start"]);
  await device.reaches("saved");
  return { key, line, device };
}

describe("the local store fails: the person is told, and edits are still sent", () => {
  test("no storage is allowed from the start", async () => {
    const key = await stage.person();
    const line = await stage.server.create("start", undefined, key);
    const device = await stage.device(key, {
      beforeLoad: () => {
        indexedDB.open = () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        };
      },
    });
    await device.shows(["start"]);
    await isTold(device, /no storage/);
    await stillSends(device, key, line);
  });

  test("the databases are evicted while the page is open", async () => {
    const { key, line, device } = await openStart();
    const devtools = await device.devtools();
    const origin = new URL(device.network.url).origin;
    await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
    // It comes to light with the next thing that is to be stored.
    await stillSends(device, key, line);
    await isTold(device, /deleted/);
    // What is typed while nothing can keep it: the page asks before it is closed.
    await device.network.refuse();
    await device.type(" offline");
    expect(await asksBeforeLeaving(device)).toBe(true);
    await device.network.pass();
    await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start and more offline"]);
    // The next start begins anew, from the server.
    await device.page.evaluate(() =>
      window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true),
    );
    await device.page.reload();
    await device.ready();
    await device.shows(["start and more offline"]);
    await device.reaches("saved");
  });

  test.each(["indexeddb", "local_storage,indexeddb", "all"])(
    "the browser clears %s while there are unsent edits",
    async (storageTypes) => {
      const { key, line, device } = await openStart();
      await device.network.refuse();
      await device.focus(line);
      await device.type(" offline");
      await device.reaches("local");
      const devtools = await device.devtools();
      const origin = new URL(device.network.url).origin;
      await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes });
      // Without a further key.
      await isTold(device, /deleted/);
      expect(await asksBeforeLeaving(device)).toBe(true);
      await device.shows(["start offline"]);
      if (storageTypes === "all") return;
      await device.network.pass();
      await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start offline"]);
    },
  );

  test("another page deletes the database", async () => {
    const { key, line, device } = await openStart();
    const other = await device.context.newPage();
    await other.goto(`${device.network.url}/manifest.webmanifest`);
    await other.evaluate(async () => {
      for (const { name = "" } of await indexedDB.databases()) {
        await new Promise((resolve) => {
          const request = indexedDB.deleteDatabase(name);
          for (const type of ["success", "error"]) request.addEventListener(type, resolve);
        });
      }
    });
    await isTold(device, /deleted/);
    await stillSends(device, key, line);
  });

  test("the disk is full", async () => {
    const key = await stage.person();
    const line = await stage.server.create("start", undefined, key);
    // The databases of these browsers are in memory, where no quota counts: so it is acted.
    const device = await stage.device(key, {
      installs: true,
      beforeLoad: () => {
        type Put = (this: IDBObjectStore, value: unknown, key?: IDBValidKey) => IDBRequest;
        const put = Reflect.get(IDBObjectStore.prototype, "put") as Put;
        IDBObjectStore.prototype.put = function (...given) {
          if (document.documentElement.dataset["disk"] !== "full") return put.apply(this, given);
          throw new DOMException("The quota is used up.", "QuotaExceededError");
        };
      },
    });
    await device.shows(["start"]);
    await device.reaches("saved");
    await device.page.evaluate(() => (document.documentElement.dataset["disk"] = "full"));
    await device.focus(line);
    await device.type(" and more");
    await isTold(device, /full/);
    await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start and more"]);
    // Room again: what could not be stored is stored now, and the alarm is over.
    await device.page.evaluate(() => (document.documentElement.dataset["disk"] = "empty"));
    await device.type("!");
    await device.reaches("saved");
    await device.installed();
    await device.network.refuse();
    await device.reload();
    await device.shows(["start and more!"]);
  });
});

describe("an outline that stays usable whatever a device is like", () => {
  test.each([-5, 5])("a clock that is %s hours off", async (hours) => {
    const key = await stage.person();
    const line = await stage.server.create("start", undefined, key);
    const right = await stage.device(key);
    const wrong = await stage.device(key, { clockOffMs: hours * 3_600_000 });
    await wrong.shows(["start"]);
    const shown = await wrong.page.evaluate(() => Date.now());
    expect(Math.abs(shown - Date.now() - hours * 3_600_000)).toBeLessThan(60_000);
    await wrong.focus(line);
    await wrong.press("Enter");
    await wrong.type("by the wrong clock");
    await wrong.press("Tab");
    await right.shows(["start", "  by the wrong clock"]);
    await right.focus(await right.keyOf("by the wrong clock"));
    await right.press("Shift+Tab");
    // The later move wins on both, whatever their clocks say.
    for (const device of [right, wrong]) {
      await device.shows(["start", "by the wrong clock"]);
      await device.reaches("saved");
    }
    expect(await stage.server.sketch(key)).toEqual(["start", "by the wrong clock"]);
  });
});
