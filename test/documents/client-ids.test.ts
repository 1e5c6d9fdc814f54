import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { encodeArrivals } from "../../src/core/node/arrival-record.ts";
import { sentenceOfFull } from "../../src/core/room/outline-full.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { marksOf } from "../../src/core/schema.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import { ClientIds, type ClientIdsOptions } from "../../src/documents/replica/client-ids.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import type { ClientBinding, ClientHolder } from "../../src/documents/log/outline-log.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { catchUp } from "./support/catch-up.ts";
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

function otherThanMarked(clientId: number): Y.Doc {
  const doc = outlineDoc(clientId);
  marksOf(doc).push([2, 3]);
  return doc;
}

function clientsOf(document: OutlineDocument): readonly number[] {
  return [...Y.decodeStateVector(document.stateVector()).keys()].sort((a, b) => a - b);
}

/** What a client adds. */
function adding(client: number, from: number, to: number) {
  return { clients: [{ client, from, to }], saysOf: [client] };
}

function newIds(options: Partial<ClientIdsOptions> = {}): ClientIds {
  return new ClientIds({
    ...DEFAULT_DOCUMENT_LIMITS,
    doc: new Y.Doc(),
    bindings: new Map(),
    uncertain: new Set(),
    epochOrdinal: 0,
    ...options,
  });
}

describe("the user's ids", () => {
  test("[P46, S60] an id that another connection has is nobody else's to write under, or to repeat", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const taken: number[] = [];
    const writers = {
      isOwn: true,
      isAnothers: (client: number) => client === 900,
      take: (client: number) => void taken.push(client),
    };
    const other: Author = { ...author("ann"), writers };
    const foreign = { kind: "refused", reason: "foreign_client" };
    expect(await document.receive(marked(900), other)).toEqual(foreign);
    expect((await document.receive(marked(901), other)).kind).toBe("applied");
    expect(taken).toEqual([901]);
    expect((await document.receive(marked(900), author("ben"))).kind).toBe("applied");
    expect(await document.receive(marked(900), other)).toEqual(foreign);
    expect((await document.receive(marked(901), other)).kind).toBe("applied");
    expect(taken).toEqual([901]);
  });

  test("[P46] who writes anew what others have is told of them when they can be read", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const isAnothers = (client: number): boolean => client === 900;
    const writers = { isAnothers, isOwn: true, take() {} };
    const again: Author = { ...author("ann"), writers };
    for (const [update, reason] of [
      [marked(900), "foreign_client"],
      [fullUpdate(otherThanMarked(900)), "conflict"],
    ] as const) {
      log.hold();
      await document.receive(marked(reason === "conflict" ? 901 : 900), author("ann"));
      const refused = document.receive(update, reason === "conflict" ? author("ann") : again);
      expect(await stateOf(refused)).toBe("pending");
      log.release();
      expect(await refused).toEqual({ kind: "refused", reason });
    }
  });

  test("[P46] who would write anew what is lost with the log is told of that, and of nothing else", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    log.fault = "fail";
    await document.receive(marked(900), author("ann"));
    const refused = document.receive(fullUpdate(otherThanMarked(900)), author("ann"));
    log.release();
    const receipt = await refused;
    expect(receipt.kind).toBe("applied");
    expect(await stateOf(receipt.kind === "applied" ? receipt.durable : refused)).toMatch(
      "rejected",
    );
  });

  test("[P46] an id that an earlier version leased is the user's", () => {
    const holder: ClientHolder = { kind: "lease", keyId: "ann" };
    const ids = newIds({ bindings: new Map([[7, holder]]) });
    expect(ids.authorise(adding(7, 0, 1), author("ben"))).toEqual([]);
    expect([ids.isOf(7, author("ann")), ids.isOf(7, author("ben"))]).toEqual([true, undefined]);
    expect(ids.ownForWriting()).not.toBe(7);
  });

  test("[Q58] an outline takes so many ids, and those who have one go on", () => {
    const ids = newIds({ maxClients: 3 });
    const stock = author("stock");
    const bindingsOf = (client: number) => ids.authorise(adding(client, 0, 1), stock);
    for (const client of [10 ** 9, 10 ** 9 + 1, 10 ** 9 + 2]) {
      const binding: ClientBinding = { client, holder: { kind: "bound", keyId: "stock" } };
      expect(bindingsOf(client)).toEqual([binding]);
      ids.bind([binding]);
    }
    const full = { kind: "outline_full", quota: "clients", has: 3, adds: 1, limit: 3 } as const;
    expect(bindingsOf(10 ** 9 + 3)).toEqual(full);
    // It is told why in the reason of a close, which has 123 bytes.
    expect(sentenceOfFull({ ...full, limit: 65_000 }).length).toBeLessThanOrEqual(123);
    expect(bindingsOf(10 ** 9)).toEqual([]);
    // Half a microsecond of each transaction for each.
    expect(DEFAULT_DOCUMENT_LIMITS.maxClients).toBeLessThanOrEqual(20_000);
  });

  test("[P46] the first device is in the log before it has written, those after it are not", async () => {
    const { documents, id, store, log } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "by the server");
    for (const keyId of ["ann", "ben"]) document.expectDevice(author(keyId));
    await addNode(document, "later");
    const { bindings } = await store.log.load(id);
    expect([...bindings.values()]).toEqual([{ kind: "server" }, { kind: "bound", keyId: "ann" }]);
    expect(log.appends.flatMap(({ append }) => append.bindings ?? [])).toHaveLength(2);
  });

  test("[A11] of a device whose key has ended nothing is noted", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    document.expectDevice({ ...author("ann"), mayWrite: () => false });
    await turns();
    expect(log.appends).toEqual([]);
  });

  test("[P66] each history of the store has ids of its own for the server", async () => {
    const { documents, id, store, again } = workshop();
    await documents.use(id, (document) => addNode(document, "before"));
    store.startEpoch("restored");
    const { document } = await again().open(id);
    await addNode(document, "after");
    expect(clientsOf(document).map((client) => Math.floor(client / 65_536))).toEqual([0, 1]);
  });

  test("[P66] ids that others have used are passed over", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const receipt = await document.receive(marked(1), author("stock"));
    expect(receipt).toMatchObject({ kind: "refused" });
    for (const client of [2, 3]) {
      const received = await document.receive(marked(client), author("stock"));
      if (received.kind === "applied") await received.durable;
    }
    await addNode(document, "by the server");
    expect(clientsOf(document)).toEqual([1, 2, 3]);
    const ids = newIds({ bindings: new Map([[1, { kind: "bound", keyId: "stock" }]]) });
    expect(ids.ownForWriting()).toBe(2);
  });
});

describe("after a backup was put back", () => {
  const user: ClientHolder = { kind: "bound", keyId: "ann" };
  const restored = () =>
    newIds({
      epochOrdinal: 1,
      bindings: new Map<number, ClientHolder>([
        [1, { kind: "server" }],
        [2, user],
        [65_537, { kind: "server" }],
        [65_538, user],
      ]),
    });
  const range = (client: number) => adding(client, 5, 9);

  test("[D87] anybody brings back what was written under ids of an earlier history", () => {
    const ids = restored();
    for (const client of [1, 2]) expect(ids.authorise(range(client), author("ben"))).toEqual([]);
    // Those that were first used after the backup nobody knows any more: they are the user's.
    expect(ids.authorise(range(3), author("ben"))).toEqual([
      { client: 3, holder: { kind: "bound", keyId: "ben" } },
    ]);
  });

  test("[D87] but nothing under those that the server has now", () => {
    const ids = restored();
    expect(ids.authorise(range(65_537), author("ben"))).toBe("foreign");
    expect(ids.authorise(range(65_538), author("ben"))).toEqual([]);
  });

  test("[D87] what others wrote is brought back in numbers, once", async () => {
    const { documents, id, store, happened } = workshop();
    const before = await documents.open(id);
    await addNode(before.document, "kept");
    const device = outlineDoc(900);
    catchUp(device, before.document);
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
    catchUp(device, before.document);
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
    catchUp(device, before.document);
    const [ofServer = 0] = Y.decodeStateVector(Y.encodeStateVector(device)).keys();
    store.startEpoch("restored");
    documents.evictAll("a backup was restored");
    const { document } = await documents.open(id);
    const outcomes: unknown[] = [];
    for (const client of [ofServer, 1_000_000]) {
      const doc = outlineDoc(900);
      catchUp(doc, document);
      doc.clientID = client;
      doc.getArray("clk").push([encodeArrivals(new Map())]);
      outcomes.push(await document.receive(fullUpdate(doc), author("ann")));
    }
    expect(outcomes).toMatchObject([
      { kind: "applied" },
      { kind: "refused", reason: "not_allowed" },
    ]);
  });

  test("[D87, S31] nobody is known by an id of the server's", () => {
    const ids = restored();
    for (const client of [1, 65_537]) expect(ids.isOf(client, author("ben"))).toBe(false);
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
    const { documents, id, store } = workshop({ structsPerClient: 30 });
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
