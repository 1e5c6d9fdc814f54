import { expect, test } from "vitest";
import * as Y from "yjs";
import { additionOf } from "../../../src/core/room/addition.ts";
import { bytesOf, OutlineSize } from "../../../src/core/room/outline-size.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { editAtRandom, outlineDoc } from "../../documents/support/random-edits.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

function countsOf({ structs, types, contentBytes, clients }: OutlineSize) {
  return { structs, types, contentBytes, clients };
}

function recount(doc: Y.Doc) {
  const size = new OutlineSize(doc);
  size.detach();
  return countsOf(size);
}

/** Some devices that edit at random; their updates, each against what a server has at that moment. */
function* updatesOfDevices(server: Y.Doc, seed: number): Generator<Uint8Array> {
  const random = seededRandom(seed);
  const devices = [901, 902, 903].map((client) => outlineDoc(client));
  for (let round = 0; round < 60; round++) {
    const device = devices[integerBelow(random, devices.length)] ?? server;
    if (random() < 0.4) Y.applyUpdate(device, Y.encodeStateAsUpdate(server));
    for (let edits = 1 + integerBelow(random, 4); edits > 0; edits--) editAtRandom(device, random);
    yield Y.encodeStateAsUpdate(device, Y.encodeStateVector(server));
  }
}

test("[Q61] what is counted along is what a recount says, whatever was written and deleted", () => {
  for (let seed = 1; seed <= 8; seed++) {
    const server = outlineDoc(900);
    const size = new OutlineSize(server);
    for (const update of updatesOfDevices(server, seed)) {
      Y.applyUpdate(server, update);
      expect([seed, countsOf(size)]).toEqual([seed, recount(server)]);
    }
    expect(size.structs).toBeGreaterThan(100);
  }
});

test("[Q61] what an update is said to add is at least what it adds", () => {
  let grown = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const server = outlineDoc(900);
    const size = new OutlineSize(server);
    for (const update of updatesOfDevices(server, seed)) {
      const inspection = inspectUpdate(server, update);
      if (inspection.kind !== "ok") continue;
      const { clients } = server.store;
      const addition = additionOf(inspection.plan, (client) => clients.has(client));
      const before = bytesOf(size, 0);
      Y.applyUpdate(server, update);
      const growth = bytesOf(size, 0) - before;
      if (growth > 0) grown++;
      expect([seed, Math.max(growth, addition.bytes)]).toEqual([seed, addition.bytes]);
    }
  }
  expect(grown).toBeGreaterThan(200);
});

test("[Q61] counting follows what was touched, not the document", () => {
  const server = outlineDoc(900);
  server.transact(() => {
    for (let count = 0; count < 5_000; count++) editAtRandom(server, seededRandom(count));
  });
  const size = new OutlineSize(server);
  let reads = 0;
  for (const structs of server.store.clients.values()) {
    const spied = new Proxy(structs, {
      get(target, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    server.store.clients.set(structs[0]?.id.client ?? 0, spied);
  }
  server.getArray("clk").push([1_700_000_000]);
  expect(reads).toBeLessThan(200);
  expect(size.structs).toBeGreaterThan(1_000);
});
