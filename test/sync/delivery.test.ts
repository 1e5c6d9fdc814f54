import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, test } from "vitest";
import { newOutlineId } from "../../src/core/node-key.ts";
import type { IsWanted } from "../../src/documents/log/stored-reads.ts";
import { NotWantedError } from "../../src/documents/log/unavailable-error.ts";
import { Delivery } from "../../src/sync/delivery.ts";
import { EXTENDED } from "../../src/sync/dialect.ts";
import { DurableOutline } from "../../src/sync/durable-outline.ts";
import { DocumentPin } from "../../src/sync/document-pin.ts";
import type { SyncDocument, SyncDocuments } from "../../src/sync/sync-document.ts";
import type { SyncSocket } from "../../src/sync/sync-socket.ts";
import { until } from "../support/socket-until.ts";

const WHOLE = { from: { kind: "state_vector", stateVector: new Uint8Array([0]) } } as const;

/** A delivery whose document reads its extent when the test says so, if anybody still wants it. */
function newDelivery() {
  const reads: (() => void)[] = [];
  const failures: unknown[] = [];
  let caughtUp = 0;
  let sent = 0;
  const document = {
    epoch: "one",
    head: 0,
    async extent(isWanted: IsWanted) {
      await new Promise<void>((resolve) => reads.push(resolve));
      if (!isWanted()) throw new NotWantedError();
      return { head: 0, epoch: "one" };
    },
  } as Partial<SyncDocument> as SyncDocument;
  const documents = {
    open: async () => ({ document, release: () => undefined }),
    unopened: () => undefined,
  } as unknown as SyncDocuments;
  const outline = newOutlineId(Math.random);
  const pin = new DocumentPin({
    documents,
    outline,
    now: () => 0,
    onOpen: () => undefined,
  });
  const socket: Partial<SyncSocket> = {
    sendSoon: () => void sent++,
    drained: async () => undefined,
  };
  const delivery = new Delivery({
    // Nothing else of it is used here.
    socket: socket as SyncSocket,
    dialect: EXTENDED,
    session: {},
    pin,
    durable: new DurableOutline({ documents, outline, pin }),
    timers: { setTimeout: () => 0, clearTimeout: () => undefined, yieldNow: () => yieldNow() },
    queuedBytes: 1_000,
    onFellBehind: () => undefined,
    onCaughtUp: () => caughtUp++,
    onFailed: (error) => failures.push(error),
  });
  return { delivery, reads, failures, told: () => ({ caughtUp, sent }) };
}

test("[Q57] who asks anew while the first answer waits to be made is sent the second one only", async () => {
  const { delivery, reads, failures, told } = newDelivery();
  delivery.catchUp(WHOLE);
  await until(() => reads.length === 1);
  delivery.catchUp(WHOLE);
  delivery.catchUp(WHOLE);
  reads[0]?.();
  await until(() => reads.length === 2 || failures.length > 0);
  reads[1]?.();
  await until(() => told().caughtUp > 0 || failures.length > 0);
  expect([failures, told()]).toEqual([[], { caughtUp: 1, sent: 1 }]);
});

test("[Q57] nothing more is made for who has left", async () => {
  const { delivery, reads, failures, told } = newDelivery();
  delivery.catchUp(WHOLE);
  await until(() => reads.length === 1);
  delivery.end();
  reads[0]?.();
  for (let turns = 0; turns < 20; turns++) await yieldNow();
  expect([reads.length, failures, told()]).toEqual([1, [], { caughtUp: 0, sent: 0 }]);
});
