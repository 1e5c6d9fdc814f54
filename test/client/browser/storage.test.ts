import { describe, expect, test } from "vitest";
import type { Device, DeviceOptions } from "../support/device.ts";
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

/** As the browser does when it needs the room, or a person who has it forget. */
async function clear(device: Device, storageTypes: string): Promise<void> {
  const devtools = await device.devtools();
  const origin = new URL(device.network.url).origin;
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes });
}

/** Waits until there is a database again, where there was none any more, and the status is true again. */
async function isStoredAnew(device: Device, state: "saved" | "local"): Promise<void> {
  await expect.poll(() => device.databases(), SOON).toBe(1);
  await device.reaches(state);
}

async function openStart(
  options?: Pick<DeviceOptions, "installs">,
): Promise<{ key: string; line: string; device: Device }> {
  const key = await stage.person();
  const line = await stage.server.create("start", undefined, key);
  const device = await stage.device(key, options);
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

  test("[L129] the databases are evicted while the page is open: it stores all of it anew", async () => {
    const { key, line, device } = await openStart({ installs: true });
    await device.installed();
    await clear(device, "indexeddb");
    await isStoredAnew(device, "saved");
    await stillSends(device, key, line);
    await device.reaches("saved");
    expect(await asksBeforeLeaving(device)).toBe(false);
    await device.network.refuse();
    await device.reload();
    await device.shows(["start and more"]);
  });

  test("[L129] evicted while there are unsent edits: they are stored anew, and sent later", async () => {
    const { key, line, device } = await openStart({ installs: true });
    await device.installed();
    await device.network.refuse();
    await device.focus(line);
    await device.type(" offline");
    await device.reaches("local");
    await clear(device, "indexeddb");
    await device.type(", still");
    await isStoredAnew(device, "local");
    await device.reload();
    await device.shows(["start offline, still"]);
    await device.reaches("local");
    expect(await stage.server.sketch(key)).toEqual(["start"]);
    await device.comeBack();
    await device.reaches("saved");
    expect(await stage.server.sketch(key)).toEqual(["start offline, still"]);
  });

  test.each(["local_storage,indexeddb", "all"])(
    "[L129] the browser clears %s while there are unsent edits: nothing comes back by itself",
    async (storageTypes) => {
      const { key, line, device } = await openStart();
      await device.network.refuse();
      await device.focus(line);
      await device.type(" offline");
      await device.reaches("local");
      await clear(device, storageTypes);
      // Without a further key.
      await isTold(device, /deleted/);
      expect(await asksBeforeLeaving(device)).toBe(true);
      await device.shows(["start offline"]);
      if (storageTypes === "all") return;
      await device.network.pass();
      await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start offline"]);
      // The next start begins anew, from the server.
      await device.reload();
      await device.shows(["start offline"]);
      await device.reaches("saved");
    },
  );

  test("[L129] another page deletes the database: all tabs go on with a new one", async () => {
    const { key, line, device } = await openStart({ installs: true });
    await device.installed();
    const tab = await device.newTab();
    await tab.reaches("saved");
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
    for (const each of [device, tab]) await isStoredAnew(each, "saved");
    await tab.page.bringToFront();
    await tab.focus(line);
    await tab.press("Enter");
    await tab.type("of a tab");
    await device.page.bringToFront();
    await device.shows(["start", "of a tab"]);
    await device.focus(line);
    await device.type(" and more");
    const all = ["start and more", "of a tab"];
    await expect.poll(() => stage.server.sketch(key), SOON).toEqual(all);
    for (const each of [device, tab]) await each.reaches("saved");
    await device.network.refuse();
    for (const each of [device, tab]) {
      await each.reload();
      await each.shows(all);
    }
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
