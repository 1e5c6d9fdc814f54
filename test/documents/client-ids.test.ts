import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { encodeArrivals } from "../../src/core/arrival-record.ts";
import { sentenceOfFull } from "../../src/core/outline-full.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { marksOf } from "../../src/core/schema.ts";
import type { Author } from "../../src/documents/author.ts";
import { ClientIds, type ClientIdsOptions } from "../../src/documents/client-ids.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import type { ClientBinding, ClientHolder } from "../../src/documents/outline-log.ts";
import type { OutlineDocument } from "../../src/documents/outline-document.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import { addNode, stateOf, turns, workshop } from "./support/workshop.ts";

function author(keyId: string): Author {
  return { keyId, session: {} };
}

/** What a device sends that writes under a client id. */
function marked(clientId: number): Uint8Array {
  const doc = outlineDoc(clientId);
  marksOf(doc).push([1]);
  return fullUpdate(doc);
}

/** The id that a document leases. */
async function leased(document: OutlineDocument, to: Author, secretHash = "hash"): Promise<number> {
  const client = await document.lease(to, secretHash);
  if (typeof client === "string") throw new Error(client);
  return client;
}

function clientsOf(document: OutlineDocument): readonly number[] {
  return [...Y.decodeStateVector(document.stateVector()).keys()].sort((a, b) => a - b);
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

function newIds({
  clock = { now: 1_000 * DAY_MS },
  ...options
}: { readonly clock?: { now: number } } & Partial<ClientIdsOptions> = {}) {
  const ids = new ClientIds({
    ...DEFAULT_DOCUMENT_LIMITS,
    doc: new Y.Doc(),
    bindings: new Map(),
    uncertain: new Set(),
    epochOrdinal: 0,
    now: () => clock.now,
    ...options,
  });
  return { ids, clock };
}

describe("leases", () => {
  test("[P65] a leased id is in the log before it is told, and no two are the same", async () => {
    const { documents, id, log, store, clock } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    const leasing = leased(document, author("ann"));
    expect(await stateOf(leasing)).toBe("pending");
    log.release();
    const client = await leasing;
    const { bindings } = await store.log.load(id);
    const grantedAt = Math.floor(clock.now() / 1000);
    const holder = { kind: "lease", keyId: "ann", secretHash: "hash", grantedAt };
    expect(bindings.get(client)).toEqual(holder);
    const others = await Promise.all([1, 2, 3].map(() => leased(document, author("ann"))));
    expect(new Set([client, ...others]).size).toBe(4);
    expect(document.head).toBe(0);
  });

  test("[P65] only a session that knows the secret may write under it", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const owner = author("ann");
    const client = await leased(document, owner);
    const foreign = { kind: "refused", reason: "foreign_client" };
    expect(await document.receive(marked(client), author("ann"))).toEqual(foreign);
    expect((await document.receive(marked(client), owner)).kind).toBe("applied");
    const returning = author("new key");
    expect(document.claim(client, returning, "guess")).toBe("unknown");
    expect(document.claim(client + 1, returning, "hash")).toBe("unknown");
    expect(document.claim(client, returning, "hash")).toBe("ok");
    expect((await document.receive(marked(client), returning)).kind).toBe("applied");
  });

  test("[P65] a lease outlives a restart, and is never given out a second time", async () => {
    const { documents, id, again } = workshop();
    const before = await documents.use(id, (document) => leased(document, author("ann")));
    const restarted = await again().open(id);
    const device = author("ann");
    expect(restarted.document.claim(before, device, "hash")).toBe("ok");
    expect(await restarted.document.lease(author("ben"), "other")).not.toBe(before);
  });

  test("[P66] ids that others have used or bound are passed over", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    for (let client = 2; client < 6; client++) {
      const receipt = await document.receive(marked(client), author("stock"));
      if (receipt.kind === "applied") await receipt.durable;
    }
    expect(await document.lease(author("ann"), "hash")).toBe(6);
  });

  test("[Q58] only so many are leased, however many days it takes", () => {
    const { ids, clock } = newIds({ leasesPerKeyAndDay: 1_000, unusedLeaseMs: Infinity });
    const leasedIds = new Set<number>();
    for (;;) {
      const binding = ids.lease(author("ann"), "");
      if (binding === "none_left") break;
      if (binding === "too_many") clock.now += DAY_MS;
      else leasedIds.add(binding.client);
    }
    const { maxLeases, maxClients } = DEFAULT_DOCUMENT_LIMITS;
    expect(leasedIds.size).toBe(maxLeases);
    // Half a microsecond of each transaction for each.
    expect(maxLeases + maxClients).toBeLessThanOrEqual(20_000);
  });

  test("[Q58] leases take no place of the ids that are bound at first use", () => {
    const { ids } = newIds({ maxClients: 3 });
    for (let count = 0; count < 5; count++) ids.lease(author("ann"), "");
    const stock = author("stock");
    const bindingsOf = (client: number) => ids.authorise([{ client, from: 0, to: 1 }], stock);
    for (const client of [10 ** 9, 10 ** 9 + 1, 10 ** 9 + 2]) {
      const binding: ClientBinding = { client, holder: { kind: "bound", keyId: "stock" } };
      expect(bindingsOf(client)).toEqual([binding]);
      ids.bind([binding]);
    }
    const full = { kind: "outline_full", quota: "clients", has: 3, adds: 1, limit: 3 } as const;
    expect(bindingsOf(10 ** 9 + 3)).toEqual(full);
    // It is told why in the reason of a close, which has 123 bytes.
    expect(sentenceOfFull({ ...full, limit: 65_000 }).length).toBeLessThanOrEqual(123);
    // Who has one goes on.
    expect(bindingsOf(10 ** 9)).toEqual([]);
  });

  test("[Q58] a key leases so many ids a day, all of them together so many; the next day more", () => {
    const { ids, clock } = newIds({ leasesPerKeyAndDay: 3, leasesPerDay: 5 });
    const lease = (keyId: string) => {
      const binding = ids.lease(author(keyId), "");
      return typeof binding === "string" ? binding : "ok";
    };
    expect(["a", "a", "a", "a"].map(lease)).toEqual(["ok", "ok", "ok", "too_many"]);
    clock.now += HOUR_MS;
    expect(["b", "b", "b"].map(lease)).toEqual(["ok", "ok", "too_many"]);
    clock.now += 23 * HOUR_MS;
    expect(["b", "a", "a", "a", "a"].map(lease)).toEqual([
      "ok",
      "ok",
      "ok",
      "too_many",
      "too_many",
    ]);
  });

  test("[Q58] the leases of a day count after a restart, too", async () => {
    const { documents, id, again } = workshop({ leasesPerKeyAndDay: 2 });
    await documents.use(id, async (document) => {
      for (let count = 0; count < 2; count++) await leased(document, author("ann"));
    });
    const { document } = await again().open(id);
    expect(await document.lease(author("ann"), "hash")).toBe("too_many");
    expect(await document.lease(author("ben"), "hash")).toBeTypeOf("number");
  });

  test("[Q58] where all are leased, the oldest goes to another store that nothing was written under", () => {
    const clock = { now: 100 * DAY_MS };
    const doc = new Y.Doc();
    const bindings = new Map<number, ClientHolder>();
    const daysOf = new Map([
      [1_000, 20],
      [1_001, 5],
      [1_002, 90],
    ]);
    for (let client = 1; client < 65_536; client++) {
      const grantedAt = (daysOf.get(client) ?? 80) * (DAY_MS / 1_000);
      bindings.set(client, { kind: "lease", keyId: "thief", secretHash: "old", grantedAt });
    }
    // The oldest of all was written under.
    doc.clientID = 1_001;
    marksOf(doc).push([1]);
    bindings.set(40_001, { kind: "server" });
    const { ids } = newIds({ clock, doc, bindings, unusedLeaseMs: 30 * DAY_MS });
    const holder = author("thief");
    expect(ids.claim(1_000, holder, "old")).toBe("ok");
    expect(ids.isOf(1_000, holder)).toBe(true);
    const device = author("ann");
    const binding = ids.lease(device, "new");
    expect(binding).toEqual({
      client: 1_000,
      holder: { kind: "lease", keyId: "ann", secretHash: "new", grantedAt: 100 * (DAY_MS / 1_000) },
    });
    // Whoever had it before may write under it no more, connected or not, and learns it when it claims.
    expect(ids.isOf(1_000, holder)).toBe(false);
    expect(ids.authorise([{ client: 1_000, from: 0, to: 1 }], holder)).toBe("foreign");
    expect(ids.claim(1_000, holder, "old")).toBe("unknown");
    expect(ids.claim(1_000, device, "new")).toBe("ok");
    // All others are too young.
    expect(ids.lease(device, "more")).toBe("none_left");
    clock.now += 11 * DAY_MS;
    expect(ids.lease(device, "more")).toMatchObject({ client: 1 });
  });

  test("[P66] each history of the store has its own ids", async () => {
    const { documents, id, store, again } = workshop();
    const first = await documents.use(id, (document) => leased(document, author("ann")));
    store.startEpoch("restored");
    const restarted = await again().open(id);
    const second = await leased(restarted.document, author("ann"));
    expect([Math.floor(first / 65_536), Math.floor(second / 65_536)]).toEqual([0, 1]);
    await addNode(restarted.document, "by the server");
    expect(clientsOf(restarted.document).every((client) => client >= 65_536)).toBe(true);
  });
});

describe("after a backup was put back", () => {
  const lease: ClientHolder = { kind: "lease", keyId: "ann", secretHash: "hash" };
  const restored = () =>
    newIds({
      epochOrdinal: 1,
      bindings: new Map<number, ClientHolder>([
        [1, { kind: "server" }],
        [2, lease],
        [65_537, { kind: "server" }],
        [65_538, lease],
      ]),
    }).ids;
  const range = (client: number) => [{ client, from: 5, to: 9 }];

  test("[D87] anybody brings back what was written under ids of an earlier history", () => {
    const ids = restored();
    for (const client of [1, 2]) expect(ids.authorise(range(client), author("ben"))).toEqual([]);
    // Those that were given out after the backup nobody knows any more: they are the user's.
    expect(ids.authorise(range(3), author("ben"))).toEqual([
      { client: 3, holder: { kind: "bound", keyId: "ben" } },
    ]);
  });

  test("[D87] but not under those of this one", () => {
    const ids = restored();
    for (const client of [65_537, 65_538]) {
      expect(ids.authorise(range(client), author("ben"))).toBe("foreign");
    }
  });

  test("[D87] what others wrote is brought back in numbers, once", async () => {
    const { documents, id, store, happened } = workshop();
    const before = await documents.open(id);
    await addNode(before.document, "kept");
    const device = outlineDoc(900);
    Y.applyUpdate(device, before.document.diff(new Uint8Array([0])));
    store.startEpoch("restored");
    documents.evictAll("a backup was restored");
    const lost = Y.decodeStateVector(Y.encodeStateVector(device));
    device.clientID = [...lost.keys()][0] ?? 0;
    marksOf(device).push([5, 6]);
    const restarted = await documents.open(id);
    for (const who of ["ann", "ben"]) {
      const receipt = await restarted.document.receive(fullUpdate(device), author(who));
      expect(receipt.kind).toBe("applied");
    }
    expect(happened.filter((each) => each.startsWith("brought"))).toEqual(["brought back 2"]);
  });

  test("[D88] what has not come back is told when it is loaded, and as it comes back", async () => {
    const { documents, id, store, log, happened } = workshop();
    const before = await documents.open(id);
    const device = outlineDoc(900);
    await addNode(before.document, "kept");
    Y.applyUpdate(device, before.document.diff(new Uint8Array([0])));
    const [[client = 0, end = 0] = []] = Y.decodeStateVector(Y.encodeStateVector(device));
    store.startEpoch("restored");
    documents.evictAll("a backup was restored");
    log.lost = new Map([
      [client, end + 2],
      [77, 4],
    ]);
    const { document } = await documents.open(id);
    device.clientID = client;
    marksOf(device).push([5, 6]);
    await document.receive(fullUpdate(device), author("ann"));
    await document.receive(fullUpdate(device), author("ben"));
    expect(happened.filter((each) => each.startsWith("missing"))).toEqual([
      "missing 6 of 2",
      "missing 4 of 1",
    ]);
  });

  test("[D87, M16] records of when things came are brought back, and made by nobody else", async () => {
    const { documents, id, store } = workshop();
    const before = await documents.open(id);
    await addNode(before.document, "kept");
    const device = outlineDoc(900);
    Y.applyUpdate(device, before.document.diff(new Uint8Array([0])));
    const [ofServer = 0] = Y.decodeStateVector(Y.encodeStateVector(device)).keys();
    store.startEpoch("restored");
    documents.evictAll("a backup was restored");
    const { document } = await documents.open(id);
    const outcomes: unknown[] = [];
    for (const client of [ofServer, 1_000_000]) {
      const doc = outlineDoc(900);
      Y.applyUpdate(doc, document.diff(new Uint8Array([0])));
      doc.clientID = client;
      doc.getArray("clk").push([encodeArrivals(new Map())]);
      outcomes.push(await document.receive(fullUpdate(doc), author("ann")));
    }
    expect(outcomes).toMatchObject([
      { kind: "applied" },
      { kind: "refused", reason: "not_allowed" },
    ]);
  });

  test("[D87, S31] nobody is known by an id that another holds", () => {
    const ids = restored();
    for (const client of [1, 2]) expect(ids.isOf(client, author("ben"))).toBe(false);
  });
});

describe("the server's own ids", () => {
  test("[P67] the server goes on under its id after a restart, and binds it with its first write", async () => {
    const { documents, id, log, again } = workshop();
    await documents.use(id, (document) => addNode(document, "one"));
    const [{ append } = { append: undefined }] = log.appends;
    expect(append?.bindings).toEqual([{ client: 1, holder: { kind: "server" } }]);
    const restarted = await again().open(id);
    await addNode(restarted.document, "two");
    expect(clientsOf(restarted.document)).toEqual([1]);
  });

  test("[P67] it takes a new one when it has written much under the old one", async () => {
    const { documents, id, store } = workshop({ structsPerLease: 30 });
    const { document } = await documents.open(id);
    await document.bulk(function* (outline) {
      for (let index = 0; index < 60; index++) {
        outline.create({ parent: ROOT, name: `node ${index}` });
        yield;
      }
    });
    for (let index = 0; index < 60; index++) await addNode(document, `more ${index}`);
    const clients = clientsOf(document);
    expect(clients.length).toBeGreaterThan(3);
    const { bindings } = await store.log.load(id);
    expect(clients.map((client) => bindings.get(client))).toEqual(
      clients.map(() => ({ kind: "server" })),
    );
  });

  test("[P67] an id that was never written under is not used up by opening and closing", async () => {
    const { documents, clock, id } = workshop({ idleMs: 0, sweepMs: 50 });
    for (let round = 0; round < 20; round++) {
      await documents.use(id, () => undefined);
      await clock.advance(100);
      await turns();
    }
    await documents.use(id, async (document) => {
      await addNode(document, "node");
      expect(clientsOf(document)).toEqual([1]);
    });
  });
});
