import { afterEach, expect, test } from "vitest";
import { nodePlatform } from "../../../../client/lib/node/node-platform.ts";
import { namesOf, ownEdit } from "../../../../client/lib/outbox.ts";
import type { Replica } from "../../../../client/lib/replica.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { StoreError, type StoredReplica } from "../../../../client/lib/store/replica-store.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { Deferred } from "../../../../src/documents/turns/deferred.ts";
import { until } from "../../../support/socket-until.ts";
import { add, copyOfDisk, names, NOWHERE, ReplicaLab, untilNames, untilStatus } from "./lab.ts";
import { MemoryTabs } from "../../../support/memory-tabs.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

/** A browser: tabs that share a disk. */
class Browser {
  readonly disk: MemoryDisk;
  readonly tabs = new MemoryTabs();
  /** Messages of each socket that was opened. */
  readonly sockets: number[] = [];

  constructor(disk = new MemoryDisk()) {
    this.disk = disk;
  }

  tab(url = lab.service.url): Promise<Replica> {
    const store = new MemoryReplicaStore(this.disk);
    return lab.open({
      store,
      tabs: this.tabs.open(),
      platform: lab.counting(this.sockets, url),
      url,
    });
  }
}

/** A handle that can write nothing, beside others of the same disk. */
class FullStore extends MemoryReplicaStore {
  override write(): Promise<never> {
    return Promise.reject(new StoreError("full", "no room for this one"));
  }
}

/** A handle that can be kept from reading all that is there. */
class UnreadableStore extends MemoryReplicaStore {
  #asked: Deferred<void> | undefined;

  /** Nothing can be read before `recover`. Resolves when somebody has tried. */
  fail(): Promise<void> {
    this.#asked = new Deferred<void>();
    return this.#asked.promise;
  }

  recover(): void {
    this.#asked = undefined;
  }

  override async read(): Promise<StoredReplica> {
    if (this.#asked === undefined) return super.read();
    this.#asked.resolve();
    throw new StoreError("failed", "not readable now");
  }
}

/** A handle of which something happens between its reading what is stored and its opening. */
class BusyStore extends MemoryReplicaStore {
  meanwhile: () => Promise<void> = async () => undefined;

  override async read(): Promise<StoredReplica> {
    const stored = await super.read();
    await this.meanwhile();
    return stored;
  }
}

function clientOf(replica: Replica): number {
  return replica.outline.doc.clientID;
}

/** A browser with a node, and a copy of it; neither has a tab open. */
async function copiedBrowser(): Promise<{ readonly first: Browser; readonly copy: Browser }> {
  const first = new Browser();
  const seed = await first.tab();
  add(seed, "shared");
  await seed.saved();
  await seed.close();
  return { first, copy: new Browser(await copyOfDisk(first.disk)) };
}

test("[L18] tabs of one store have one socket, and each shows at once what another does", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const one = await browser.tab();
  await one.caughtUp();
  const other = await browser.tab();
  await other.caughtUp();
  add(one, "of the leader");
  add(other, "of the follower");
  await Promise.all([one.saved(), other.saved()]);
  const both = ["of the leader", "of the follower"];
  await untilNames(one, both);
  await untilNames(other, both);
  expect([...(await lab.serverNames())].sort()).toEqual([...both].sort());
  await lab.post("of another device");
  await untilNames(one, [...both, "of another device"]);
  await untilNames(other, [...both, "of another device"]);
  expect(other.seq).toBe(one.seq);
  expect([one.status, other.status]).toEqual([{ kind: "saved" }, { kind: "saved" }]);
  expect(browser.sockets).toHaveLength(1);
});

test("[L5, L18] what a frozen tab does not send is not called on its way in the others", async () => {
  lab = await ReplicaLab.start();
  const { disk, tabs } = new Browser();
  const frozen: (() => void)[] = [];
  let isFrozen = false;
  const later = (work: () => void): void => {
    if (isFrozen) frozen.push(work);
    else setImmediate(work);
  };
  const leader = await lab.open({ store: new MemoryReplicaStore(disk), tabs: tabs.open(later) });
  await leader.caughtUp();
  const platform = nodePlatform(lab.service.url, lab.service.key);
  const other = await lab.open({
    store: new MemoryReplicaStore(disk),
    tabs: tabs.open(),
    // Five seconds pass in one.
    platform: { setTimer: (onTime, ms) => platform.setTimer(onTime, ms / 5) },
  });
  await untilStatus(other, "saved");
  isFrozen = true;
  add(other, "typed meanwhile");
  await untilStatus(other, "local");
  expect(other.status).toMatchObject({ unsent: 1, cause: "unreachable" });
  isFrozen = false;
  for (const work of frozen.splice(0)) work();
  await untilStatus(other, "saved");
  expect(await lab.serverNames()).toEqual(["typed meanwhile"]);
});

test("[L18] what is done while another tab opens is not called sent there", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const one = await browser.tab(NOWHERE);
  await untilStatus(one, "local");
  const store = new BusyStore(browser.disk);
  store.meanwhile = async () => {
    add(one, "meanwhile");
    await one.stored();
  };
  const other = await lab.open({ store, tabs: browser.tabs.open(), url: NOWHERE });
  await untilNames(other, ["meanwhile"]);
  await until(() => other.status.kind === "local" && other.status.unsent === 1, "it to be counted");
});

test("[L19] each tab writes under an id of its own, and later ones under those of earlier ones", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const tabs = [await browser.tab(), await browser.tab(), await browser.tab()];
  const ids = tabs.map(clientOf);
  expect(new Set(ids).size).toBe(3);
  for (const tab of tabs) add(tab, String(clientOf(tab)));
  await Promise.all(tabs.map((tab) => tab.saved()));
  expect([...(await lab.serverNames())].sort()).toEqual(ids.map(String).sort());
  for (const tab of tabs) await tab.close();
  const later = [await browser.tab(), await browser.tab(), await browser.tab()];
  expect(new Set(later.map(clientOf))).toEqual(new Set(ids));
});

test("[L19] under the id of a tab that is gone nothing is written before what that stored is read", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const first = await browser.tab();
  add(first, "before");
  await first.saved();
  const left = clientOf(first);
  await first.close();

  const holder = browser.tabs.open();
  await holder.hold(left);
  const other = await browser.tab();
  // A tab that writes under that id, and is gone before the others hear of it.
  const gone = await lab.open({
    store: new MemoryReplicaStore(browser.disk),
    tabs: new MemoryTabs().open(),
    url: NOWHERE,
  });
  expect(clientOf(gone)).toBe(left);
  add(gone, "stored last by the one that is gone");
  await gone.stored();
  await gone.close();

  const goOn = browser.disk.hang();
  holder.close();
  // Its own id is used up: from now on it looks for another with each edit.
  const key = add(other, "");
  other.edits.type(key, "name", { at: 0, remove: 0, insert: "b".repeat(64_000) });
  other.edits.type(key, "name", { at: 0, remove: 64_000, insert: "one" });
  for (const name of ["two", "three"]) {
    add(other, name);
    await new Promise((resolve) => setImmediate(resolve));
    expect(clientOf(other)).not.toBe(left);
  }
  goOn();
  const all = ["before", "stored last by the one that is gone", "one", "two", "three"];
  await untilNames(other, all);
  await other.saved();
  expect([...(await lab.serverNames())].sort()).toEqual([...all].sort());
  await until(() => clientOf(other) === left, "the id to be taken over");
});

test("[L20] when the leader closes another tab takes over, with everything that was unsent", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const leader = await browser.tab(NOWHERE);
  const other = await browser.tab();
  add(leader, "of the leader");
  add(other, "of the other");
  await Promise.all([leader.stored(), other.stored()]);
  await until(
    () => leader.status.kind === "local" && leader.status.unsent === 2,
    "both to be known",
  );
  await until(() => other.status.kind === "local" && other.status.unsent === 2, "both to be told");
  await leader.close();
  await other.saved();
  await untilStatus(other, "saved");
  expect([...(await lab.serverNames())].sort()).toEqual(["of the leader", "of the other"]);
  expect(browser.sockets.filter((count) => count > 0)).toHaveLength(1);
});

/** The same, after each of the two has written: what the copy has is unsent. */
async function writtenOnBoth(): Promise<{ readonly original: Replica; readonly copy: Browser }> {
  const { first, copy } = await copiedBrowser();
  const original = await first.tab();
  add(original, "original");
  await original.saved();
  const away = await copy.tab(NOWHERE);
  add(away, "copy");
  await away.stored();
  await away.close();
  return { original, copy };
}

test("[L21] what is typed before a tab can read the new replica waits for it", async () => {
  lab = await ReplicaLab.start();
  const { original, copy } = await writtenOnBoth();

  const tabs = copy.tabs.open();
  const slow = await lab.slowRewriter(new MemoryReplicaStore(copy.disk), tabs);
  const leader = slow.replica;
  const store = new UnreadableStore(copy.disk);
  const late = await lab.open({ store, tabs: copy.tabs.open() });
  add(late, "before");
  await until(() => names(leader).includes("before"), "the leader to have heard of it");
  await slow.reached;
  const hasTried = store.fail();
  slow.goOn();
  await hasTried;
  add(late, "meanwhile");
  await leader.saved();
  store.recover();
  await late.saved();
  for (const replica of [leader, late, original]) {
    await untilNames(replica, ["shared", "original", "copy", "before", "meanwhile"]);
  }
});

test("[L21] a copied browser with two tabs loses nothing either: all of them follow the new replica", async () => {
  lab = await ReplicaLab.start();
  const { first, copy } = await copiedBrowser();

  const original = await first.tab();
  for (let count = 0; count < 10; count += 1) add(original, `original ${count}`);
  await original.saved();

  const leader = await copy.tab(NOWHERE);
  const follower = await copy.tab(NOWHERE);
  add(leader, "copy's leader");
  add(follower, "copy's follower");
  await Promise.all([leader.stored(), follower.stored()]);
  await leader.close();
  await follower.close();

  const online = await copy.tab();
  const late = await copy.tab();
  let replaced = 0;
  late.onReplaced(() => (replaced += 1));
  add(late, "typed while it was written anew");
  await online.saved();
  await late.saved();
  const all = [
    "shared",
    ...Array.from({ length: 10 }, (_, count) => `original ${count}`),
    "copy's leader",
    "copy's follower",
    "typed while it was written anew",
  ];
  for (const replica of [original, online, late]) await untilNames(replica, all);
  expect(replaced).toBe(1);
  expect(new Set([original, online, late].map((replica) => names(replica).join("\n"))).size).toBe(
    1,
  );
  const [key] = late.outline.childKeys(ROOT);
  if (key === undefined) throw new Error("there is one");
  late.edits.type(key, "name", { at: 0, remove: 0, insert: "!" });
  await late.saved();
  await until(() => names(original).includes("!shared"), "what is typed now");
});

test("[L21] an edit that the leader has read in the store, and was told of later, is written anew once", async () => {
  lab = await ReplicaLab.start();
  const { original, copy } = await writtenOnBoth();

  const slow = await lab.slowRewriter(new MemoryReplicaStore(copy.disk), copy.tabs.open());
  const leader = slow.replica;
  await slow.reached;
  const store = new UnreadableStore(copy.disk);
  const tabs = copy.tabs.open();
  const late: object[] = [];
  const other = await lab.open({
    store,
    tabs: {
      isLeader: false,
      onLeader: (listener) => tabs.onLeader(listener),
      post(message) {
        if ("kind" in message && message.kind === "own") late.push(message);
        else tabs.post(message);
      },
      onMessage: (listener) => tabs.onMessage(listener),
      hold: (client) => tabs.hold(client),
      close: () => tabs.close(),
    },
  });
  const [key] = other.outline.childKeys(ROOT);
  if (key === undefined) throw new Error("there is one");
  other.edits.type(key, "name", { at: 2, remove: 0, insert: "X" });
  await until(() => late.length > 0, "the edit to be stored and told");
  await copy.tab();
  await until(() => names(leader).includes("shXared"), "the leader to have read it");
  for (const message of late.splice(0)) tabs.post(message);
  const hasTried = store.fail();
  slow.goOn();
  await hasTried;
  await untilNames(original, ["shXared", "original", "copy"]);
  original.edits.type(key, "name", { at: 2, remove: 1, insert: "" });
  await untilNames(leader, ["shared", "original", "copy"]);
  await leader.stored();
  store.recover();
  await until(() => names(other).includes("original"), "the new replica to be read");
  await other.saved();
  expect([...names(other)].sort()).toEqual(["copy", "original", "shared"]);
});

test("[L21] a tab that opens before the new replica could be stored follows when it is", async () => {
  lab = await ReplicaLab.start();
  const { original, copy } = await writtenOnBoth();

  const slow = await lab.slowRewriter(new MemoryReplicaStore(copy.disk), copy.tabs.open());
  const leader = slow.replica;
  await slow.reached;
  copy.disk.fill();
  slow.goOn();
  await untilNames(leader, ["shared", "original", "copy"]);
  const late = await copy.tab();
  add(late, "typed before");
  await leader.saved();
  // What it has is of another history: both together would be none.
  expect(names(late)).toEqual(["shared", "copy", "typed before"]);
  copy.disk.recover();
  await until(() => leader.status.kind === "saved", "the new replica to be stored");
  await untilNames(late, ["shared", "original", "copy", "typed before"]);
  add(late, "typed");
  await late.saved();
  for (const replica of [leader, late, original]) {
    await untilNames(replica, ["shared", "original", "copy", "typed before", "typed"]);
  }
});

test("[L18] a tab that opens before the store knows that an edit is saved gets to know it", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const one = await browser.tab();
  await one.caughtUp();
  add(one, "of the leader");
  await one.saved();
  // That it has left the outbox is stored a fifth of a second after the edit itself.
  const other = await browser.tab();
  await untilStatus(other, "saved");
  expect(names(other)).toEqual(["of the leader"]);
});

test("[L18] what the leader read in the store as unsent, and hears to be saved, is saved for all tabs", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const before = await browser.tab(NOWHERE);
  add(before, "stored");
  await before.stored();
  await before.close();
  const [stored] = (await new MemoryReplicaStore(browser.disk).read()).outbox;
  if (stored === undefined) throw new Error("there is one");
  const leader = await browser.tab(NOWHERE);
  const heard: object[] = [];
  const other = browser.tabs.open();
  other.onMessage((message) => heard.push(message as object));
  // That tab had told the edit's end before the store took it.
  const edits = namesOf([ownEdit(stored.update, 0)]);
  other.post({ kind: "settled_before", edits });
  await until(
    () => heard.some((message) => "edits" in message && "position" in message),
    "the others are told",
  );
  expect(heard).toContainEqual(expect.objectContaining({ kind: "settled", edits }));
  expect(leader.status).not.toHaveProperty("unsent", 1);
});

test("[L20] a tab that takes over while the store fails leaves no gap in it", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const leader = await browser.tab();
  await leader.caughtUp();
  const other = await browser.tab();
  await lab.post("stored");
  await untilNames(other, ["stored"]);
  await until(() => other.seq === leader.seq, "the follower to stand where the leader stands");
  browser.disk.fail("failed");
  await lab.post("heard of, and not stored by the leader");
  await untilNames(other, ["stored", "heard of, and not stored by the leader"]);
  await expect(leader.close()).rejects.toMatchObject({ code: "failed" });
  await lab.post("heard of later");
  const all = ["stored", "heard of, and not stored by the leader", "heard of later"];
  await untilNames(other, all);
  browser.disk.recover();
  await other.close();
  const again = await lab.open({ store: new MemoryReplicaStore(browser.disk), url: NOWHERE });
  await untilNames(again, all);
});

test("[L101] what a tab has heard from the leader, and that could not store, is stored when it takes over", async () => {
  let compactions = 0;
  lab = await ReplicaLab.start({
    documentLimits: { minCompactionBytes: 1 },
    documentEvents: { onCompaction: () => (compactions += 1) },
  });
  const disk = new MemoryDisk();
  const before = await lab.open({ store: new MemoryReplicaStore(disk) });
  await before.caughtUp();
  add(before, "stored");
  await before.saved();
  await before.close();
  const { position } = await new MemoryReplicaStore(disk).read();
  // Where the log reaches no longer back to.
  const browser = new Browser(await copyOfDisk(disk, { ...position, seq: 0 }));
  const first = await lab.open({
    store: new FullStore(browser.disk),
    tabs: browser.tabs.open(),
  });
  const second = await browser.tab();
  await first.caughtUp();
  await untilNames(second, ["stored"]);
  const compacted = compactions;
  const long = "long ".repeat(1000).trim();
  await lab.post(long);
  await untilNames(second, ["stored", long]);
  await until(() => compactions > compacted, "a compaction");
  await first.close().catch(() => undefined);
  await until(() => browser.sockets.length === 1, "the second tab to lead");
  add(second, "by the second tab");
  await second.saved();
  await second.close();
  const again = await browser.tab(NOWHERE);
  expect([...names(again)].sort()).toEqual(["by the second tab", long, "stored"]);
});

test("[L20] what a tab stored that ended before anybody heard of it is sent by the others", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const leader = await browser.tab();
  await leader.caughtUp();
  const gone = await lab.open({
    store: new MemoryReplicaStore(browser.disk),
    tabs: new MemoryTabs().open(),
    url: NOWHERE,
  });
  add(gone, "of the one that is gone");
  await gone.stored();
  await gone.close();
  const late = await browser.tab();
  await late.saved();
  await untilNames(leader, ["of the one that is gone"]);
  await untilStatus(late, "saved");
  expect(await lab.serverNames()).toEqual(["of the one that is gone"]);
});

test("[L20] what a tab can't store is stored by the leader, to be sent when both are gone", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const leader = await browser.tab(NOWHERE);
  await untilStatus(leader, "local");
  const other = await lab.open({
    store: new FullStore(browser.disk),
    tabs: browser.tabs.open(),
    url: NOWHERE,
  });
  await untilStatus(other, "local");
  add(other, "of the tab that can't store");
  await untilNames(leader, ["of the tab that can't store"]);
  await leader.stored();
  await expect(other.close()).rejects.toMatchObject({ code: "full" });
  await leader.close();
  const again = await new Browser(browser.disk).tab();
  await again.saved();
  expect(await lab.serverNames()).toEqual(["of the tab that can't store"]);
  await again.stored();
  expect((await new MemoryReplicaStore(browser.disk).read()).outbox).toEqual([]);
});

test("[L18] a tab that opens while the store fails shows what the leader shows", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const leader = await lab.open({ store: new FullStore(browser.disk), tabs: browser.tabs.open() });
  await leader.caughtUp();
  add(leader, "of the leader");
  await leader.saved();
  await lab.post("of another device");
  await untilNames(leader, ["of the leader", "of another device"]);
  const other = await browser.tab();
  await untilNames(other, ["of the leader", "of another device"]);
  await until(() => other.seq === leader.seq, "it to stand where the leader stands");
  expect(other.status).toEqual({ kind: "saved" });
});

test("[L20] what a tab stored that ended unheard beside a connected one is sent, too", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const looks: (() => void)[] = [];
  const platform = nodePlatform(lab.service.url, lab.service.key);
  const leader = await lab.open({
    store: new MemoryReplicaStore(disk),
    platform: {
      setTimer: (callback, ms) => {
        if (ms !== 60_000) return platform.setTimer(callback, ms);
        looks.push(callback);
        return () => undefined;
      },
    },
  });
  await leader.caughtUp();
  const unheard = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  add(unheard, "stored, and told nobody");
  await unheard.stored();
  await unheard.close();
  await until(() => looks.length > 0, "a look is planned");
  looks.at(-1)?.();
  await untilNames(leader, ["stored, and told nobody"]);
  await leader.saved();
  expect(await lab.serverNames()).toEqual(["stored, and told nobody"]);
});

test("[L18] a tab that opens while the store fails sends what the leader could not, when that has ended", async () => {
  lab = await ReplicaLab.start();
  const browser = new Browser();
  const store = new FullStore(browser.disk);
  const leader = await lab.open({ store, tabs: browser.tabs.open(), url: NOWHERE });
  add(leader, "neither stored nor sent");
  await untilStatus(leader, "unsaved");
  const other = await browser.tab();
  await untilNames(other, ["neither stored nor sent"]);
  await expect(leader.close()).rejects.toMatchObject({ code: "full" });
  await other.saved();
  expect(await lab.serverNames()).toEqual(["neither stored nor sent"]);
});
