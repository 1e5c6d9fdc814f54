import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT } from "../../src/core/node-key.ts";
import { marksOf } from "../../src/core/schema.ts";
import type { Author } from "../../src/documents/author.ts";
import { ClientIds } from "../../src/documents/client-ids.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
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

function clientsOf(document: OutlineDocument): readonly number[] {
  return [...Y.decodeStateVector(document.stateVector()).keys()].sort((a, b) => a - b);
}

describe("leases", () => {
  test("[P65] a leased id is in the log before it is told, and no two are the same", async () => {
    const { documents, id, log, store } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    const leased = document.lease(author("ann"), "hash");
    expect(await stateOf(leased)).toBe("pending");
    log.release();
    const client = await leased;
    const { bindings } = await store.log.load(id);
    expect(bindings.get(client)).toEqual({ kind: "lease", keyId: "ann", secretHash: "hash" });
    const others = await Promise.all([1, 2, 3].map(() => document.lease(author("ann"), "hash")));
    expect(new Set([client, ...others]).size).toBe(4);
    expect(document.head).toBe(0);
  });

  test("[P65] only a session that knows the secret may write under it", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const owner = author("ann");
    const client = await document.lease(owner, "hash");
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
    const before = await documents.use(id, (document) => document.lease(author("ann"), "hash"));
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

  test("[P66] with all that can be leased and bound, an outline has fewer than 65,536", () => {
    const { structsPerLease, maxNewClients, maxClients } = DEFAULT_DOCUMENT_LIMITS;
    const limits = { structsPerLease, maxNewClients, maxClients };
    const nobody = { bindings: new Map(), uncertain: new Set<number>(), epochOrdinal: 0 };
    const ids = new ClientIds({ doc: new Y.Doc(), ...nobody, ...limits });
    const leased = new Set<number>();
    expect(() => {
      for (let count = 0; count < 65_536; count++) leased.add(ids.lease(author("ann"), "").client);
    }).toThrow("all client ids");
    expect(leased.size).toBeGreaterThan(39_000);
    expect(leased.size + maxClients).toBeLessThan(60_001);
  });

  test("[P66] each history of the store has its own ids", async () => {
    const { documents, id, store, again } = workshop();
    const first = await documents.use(id, (document) => document.lease(author("ann"), "hash"));
    store.startEpoch("restored");
    const restarted = await again().open(id);
    const second = await restarted.document.lease(author("ann"), "hash");
    expect([Math.floor(first / 65_536), Math.floor(second / 65_536)]).toEqual([0, 1]);
    await addNode(restarted.document, "by the server");
    expect(clientsOf(restarted.document).every((client) => client >= 65_536)).toBe(true);
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
