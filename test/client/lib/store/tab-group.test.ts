import { afterEach, describe, expect, test, vi } from "vitest";

import { browserTabs } from "../../../../client/lib/browser/tab-group.ts";
import type { TabGroup } from "../../../../client/lib/tab-group.ts";
import { soleTab } from "../../../../client/lib/tab-group.ts";
import { MemoryLocks } from "./memory-locks.ts";

/** Node's own channels, each test under another name. */
let names = 0;
const openChannel = (name: string): BroadcastChannel => new BroadcastChannel(name);

const open: TabGroup[] = [];
afterEach(() => {
  for (const tab of open.splice(0)) tab.close();
});

function newBrowser() {
  const locks = new MemoryLocks();
  const name = `tab-group-test-${(names += 1)}`;
  return {
    openTab: () => {
      const { locks: own, crash } = locks.tab();
      const tab = browserTabs(name, { locks: own, openChannel });
      open.push(tab);
      return { tab, crash };
    },
  };
}

/** A busy machine is no failure. */
const PATIENT = { timeout: 20_000 };

const isLeading = (tab: TabGroup) => vi.waitFor(() => expect(tab.isLeader).toBe(true), PATIENT);

describe("tabs of a browser", () => {
  test("[L40] one tab leads; when it closes, the next one does, once told", async () => {
    const browser = newBrowser();
    const [{ tab: one }, { tab: two }, { tab: three }] = [
      browser.openTab(),
      browser.openTab(),
      browser.openTab(),
    ];
    const told: string[] = [];
    two.onLeader(() => told.push("two"));
    two.onLeader(() => told.push("never"))();
    three.onLeader(() => told.push("three"));
    await isLeading(one);
    expect([two.isLeader, three.isLeader, told]).toEqual([false, false, []]);
    one.close();
    await isLeading(two);
    two.onLeader(() => told.push("never: it leads already"));
    expect([three.isLeader, told]).toEqual([false, ["two"]]);
  });

  test("[L40] when the leader crashes, the next one leads", async () => {
    const browser = newBrowser();
    const one = browser.openTab();
    const two = browser.openTab();
    await isLeading(one.tab);
    one.crash();
    await isLeading(two.tab);
  });

  test("[L40] a tab that closed while it waited never leads", async () => {
    const browser = newBrowser();
    const one = browser.openTab();
    const [two, three] = [browser.openTab(), browser.openTab()];
    await isLeading(one.tab);
    two.tab.close();
    one.tab.close();
    await isLeading(three.tab);
    expect(two.tab.isLeader).toBe(false);
  });

  test("[L41] what a tab posts reaches all others in its order, and not itself", async () => {
    const browser = newBrowser();
    const tabs = [browser.openTab(), browser.openTab(), browser.openTab()];
    const heard = tabs.map(({ tab }) => {
      const messages: unknown[] = [];
      tab.onMessage((message) => messages.push(message));
      tab.onMessage(() => messages.push("stopped"))();
      return messages;
    });
    tabs[1]?.tab.post({ kind: "first" });
    tabs[1]?.tab.post(Uint8Array.of(1, 2));
    const expected = [{ kind: "first" }, Uint8Array.of(1, 2)];
    await vi.waitFor(() => expect(heard).toEqual([expected, [], expected]), PATIENT);
    tabs[1]?.tab.close();
    tabs[1]?.tab.post({ kind: "closed" });
    tabs[2]?.tab.post({ kind: "last" });
    await vi.waitFor(() => expect(heard[0]).toEqual([...expected, { kind: "last" }]), PATIENT);
  });

  test("[L42] a client id belongs to one tab until that closes or crashes", async () => {
    const browser = newBrowser();
    const [one, two, three] = [browser.openTab(), browser.openTab(), browser.openTab()];
    expect([await one.tab.hold(7), await one.tab.hold(7)]).toEqual([true, true]);
    expect([await two.tab.hold(7), await two.tab.hold(8)]).toEqual([false, true]);
    expect([await three.tab.hold(7), await three.tab.hold(8)]).toEqual([false, false]);
    one.crash();
    two.tab.close();
    expect(await two.tab.hold(9)).toBe(false);
    await vi.waitFor(async () => expect(await three.tab.hold(8)).toBe(true), PATIENT);
    expect(await three.tab.hold(7)).toBe(true);
  });
});

describe("a tab that can't know of others", () => {
  const refusing: Pick<LockManager, "request"> = {
    request: () => Promise.reject(new DOMException("no", "SecurityError")),
  };
  const noChannel = (): BroadcastChannel => {
    throw new DOMException("no", "SecurityError");
  };
  const alone = {
    "without locks": { locks: undefined, openChannel },
    "with locks that are refused": { locks: refusing, openChannel },
  };

  test.for(Object.entries(alone))("[L40] leads %s", async ([, surroundings]) => {
    const tabs = ["a", "b"].map(() => browserTabs("alone", surroundings));
    open.push(...tabs);
    for (const tab of tabs) await isLeading(tab);
  });

  test.for([undefined, noChannel])("[L40] leads without a channel (%#)", async (opening) => {
    const locks = new MemoryLocks();
    const tabs = ["a", "b"].map(() =>
      browserTabs("alone", { locks: locks.tab().locks, openChannel: opening }),
    );
    open.push(...tabs);
    for (const tab of tabs) await isLeading(tab);
    // Its client id is still nobody else's.
    expect(await Promise.all(tabs.map((tab) => tab.hold(7)))).toEqual([true, false]);
  });

  test.for(Object.entries(alone))("[L42] holds no client id, %s", async ([, surroundings]) => {
    const tab = browserTabs("alone", surroundings);
    open.push(tab);
    expect(await tab.hold(7)).toBe(false);
  });
});

test("[L40] [L42] a program that has its store for itself leads, and holds every client id", async () => {
  const tab = soleTab();
  expect([tab.isLeader, await tab.hold(7)]).toEqual([true, true]);
});
