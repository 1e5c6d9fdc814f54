import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { ReplicaStoreDriver } from "../../../contract/replica-store-driver.ts";
import { replicaStoreContract } from "../../../contract/replica-store-contract.ts";
import type { StoreBrowser } from "./page-driver.ts";
import { startStoreBrowser, storeIn } from "./page-driver.ts";
import { codeOf, updatesOf } from "../../../contract/replica-reading.ts";

let browser: StoreBrowser;
/** Two tabs, in which the handles of a store are opened in turn. */
let tabs: readonly [Page, Page];

beforeAll(async () => {
  browser = await startStoreBrowser();
  tabs = [await browser.newPage(), await browser.newPage()];
});
afterAll(() => browser.close());

const chromiumDriver: ReplicaStoreDriver = {
  name: "indexeddb in Chromium",
  handles: "many",
  newPlace: async () => {
    const name = randomUUID();
    let opened = 0;
    let [tab] = tabs;
    return {
      open: () => {
        tab = tabs[opened++ % 2 === 0 ? 0 : 1];
        return storeIn(tab, name);
      },
      // Done before what the tab is asked next.
      fillUp: () => void tab.evaluate("fillUp()"),
      lose: () => tabs[1].evaluate(`lose(${JSON.stringify(name)})`),
      remove: async () => undefined,
    };
  },
};

replicaStoreContract(chromiumDriver);

const update = Uint8Array.of(1, 2, 3);

describe("a store in Chromium", () => {
  test("[L36] [L37] is full when the browser's quota is used up, and goes on when it grows", async () => {
    const page = await browser.newPage("small");
    const { origin } = new URL(page.url());
    const session = await browser.context.newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 100_000 });
    const store = await storeIn(page, randomUUID());
    await store.write({ received: [update] });
    // Chromium looks closely only at what is large.
    expect(await codeOf(store.writeMuch(30_000_000))).toBe("full");
    await session.send("Storage.overrideQuotaForOrigin", { origin });
    await store.write({ received: [update] });
    expect(await updatesOf(store)).toEqual([update, update]);
    await page.close();
  });

  test("[L37] is lost when the person clears the site's data", async () => {
    const page = await browser.newPage("cleared");
    const { origin } = new URL(page.url());
    const store = await storeIn(page, randomUUID());
    await store.write({ received: [update] });
    const session = await browser.context.newCDPSession(page);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
    expect(await codeOf(store.write({ received: [update] }))).toBe("lost");
    await page.close();
  });
});

describe("tabs of Chromium", () => {
  const start = (page: Page, name: string): Promise<unknown> =>
    page.evaluate(`{
      globalThis.tabs = browserTabs(${JSON.stringify(name)});
      globalThis.heard = [];
      tabs.onMessage((message) => heard.push(message));
      tabs.onLeader(() => heard.push("leads"));
    }`);

  test("[L40] [L41] [L42] one leads, the next takes over from a tab that crashes; each has its client id", async () => {
    const name = randomUUID();
    const one = await browser.newPage();
    await start(one, name);
    await one.waitForFunction("tabs.isLeader");
    const two = await browser.newPage();
    await start(two, name);
    expect(await one.evaluate("tabs.hold(7)")).toBe(true);
    expect(await two.evaluate("tabs.hold(7)")).toBe(false);
    await one.evaluate("tabs.post({ bytes: Uint8Array.of(1, 2) })");
    await two.waitForFunction("heard.length === 1");
    expect(await two.evaluate("[tabs.isLeader, [...heard[0].bytes]]")).toEqual([false, [1, 2]]);
    await one.goto("chrome://crash").catch(() => undefined);
    await two.waitForFunction("tabs.isLeader && heard.at(-1) === 'leads'");
    await two.waitForFunction("tabs.hold(7)");
    await two.close();
  });
});
