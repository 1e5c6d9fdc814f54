import { afterEach, beforeEach, expect, test } from "vitest";
import type { LastWords } from "../../../../client/lib/last-words.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { Deferred } from "../../../../src/documents/turns/deferred.ts";
import { nodePlatform } from "../../../../client/lib/node/node-platform.ts";
import { until } from "../../../support/socket-until.ts";
import { add, copyOfDisk, names, NOWHERE, ReplicaLab, untilNames } from "./lab.ts";

let lab: ReplicaLab;
/** What stuck stores answer when nobody looks any more. */
let ended: Deferred<readonly number[]>;

beforeEach(() => {
  ended = new Deferred();
});
afterEach(async () => {
  ended.resolve([]);
  await lab.close();
});

/** A browser in which a page can be closed before its store has answered. */
class Browser {
  readonly disk: MemoryDisk;
  readonly words = new Map<string, Uint8Array>();
  /** What connected pages do once a minute. */
  readonly looks: (() => void)[] = [];

  constructor(disk = new MemoryDisk()) {
    this.disk = disk;
  }

  async page(isStuck: boolean, store = new MemoryReplicaStore(this.disk)) {
    const hides: (() => void)[] = [];
    const lastWords: LastWords = {
      keep: (name, words) => this.words.set(name, words).has(name),
      forget: (name) => void this.words.delete(name),
      read: () => [...this.words].map(([name, words]) => ({ name, words })),
    };
    if (isStuck) store.write = () => ended.promise;
    const timers = nodePlatform(NOWHERE, "");
    const platform = {
      setTimer: (callback: () => void, ms: number) => {
        if (ms !== 60_000) return timers.setTimer(callback, ms);
        this.looks.push(callback);
        return () => undefined;
      },
      lastWords,
      onHide(listener: () => void) {
        hides.push(listener);
        return () => undefined;
      },
    };
    const options = { store, platform, ...(isStuck ? { url: NOWHERE } : undefined) };
    const replica = await lab.open(options);
    return { replica, hide: () => hides.forEach((listener) => listener()) };
  }
}

test("[L29] what a page had no time to store is in the next one, and on the server", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const first = await browser.page(false);
  add(first.replica, "stored");
  await first.replica.saved();
  await first.replica.close();

  const cut = await browser.page(true);
  add(cut.replica, "typed last");
  cut.hide();
  expect(browser.words.size).toBe(1);

  const next = await browser.page(false);
  expect(names(next.replica)).toEqual(["stored", "typed last"]);
  add(next.replica, "and on");
  await next.replica.saved();
  expect(await lab.serverNames()).toEqual(["stored", "typed last", "and on"]);
  await until(() => browser.words.size === 0, "it to be forgotten");
});

test("[L29] a page that lives on stores it itself, and nothing is kept", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const page = await browser.page(false);
  await page.replica.caughtUp();
  add(page.replica, "a");
  page.hide();
  expect(browser.words.size).toBe(1);
  await page.replica.stored();
  expect(browser.words.size).toBe(0);
  page.hide();
  expect(browser.words.size).toBe(0);
});

test("[L29] a page that is open finds what another one had no time to store, and sends it", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const open = await browser.page(false);
  await open.replica.caughtUp();
  const cut = await browser.page(true);
  add(cut.replica, "typed last");
  cut.hide();
  await until(() => browser.looks.length > 0, "a look is planned");
  browser.looks.at(-1)?.();
  await untilNames(open.replica, ["typed last"]);
  await open.replica.saved();
  expect(await lab.serverNames()).toEqual(["typed last"]);
  await until(() => browser.words.size === 0, "it to be forgotten");
});

test("[L29] what a page had no time to store is not forgotten with what it kept before", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const cut = await browser.page(true);
  add(cut.replica, "first");
  cut.hide();
  const next = await browser.page(false);
  // The next page is about to store the first, and to forget it.
  add(cut.replica, "second");
  cut.hide();
  await next.replica.stored();
  const last = await browser.page(false);
  expect([...names(last.replica)].toSorted()).toEqual(["first", "second"]);
});

test("[L29, L21] so is what was typed while all was written anew, and nothing of it was stored", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const first = await browser.page(false);
  add(first.replica, "shared");
  await first.replica.saved();
  await first.replica.close();
  const copy = new Browser(await copyOfDisk(browser.disk));
  const later = await browser.page(false);
  add(later.replica, "by the first");
  await later.replica.saved();
  await later.replica.close();

  const store = new MemoryReplicaStore(copy.disk);
  const replacing = new Deferred<void>();
  store.replace = () => {
    replacing.resolve();
    return ended.promise;
  };
  const cut = await copy.page(false, store);
  add(cut.replica, "by the copy");
  await replacing.promise;
  add(cut.replica, "typed last");
  cut.hide();

  const next = await copy.page(false);
  const wanted = ["shared", "by the first", "by the copy", "typed last"];
  await untilNames(next.replica, wanted);
  await next.replica.saved();
  expect([...(await lab.serverNames())].toSorted()).toEqual(wanted.toSorted());
});
