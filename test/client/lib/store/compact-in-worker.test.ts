import { afterEach, expect, test, vi } from "vitest";

import type {
  CompactReply,
  CompactRequest,
} from "../../../../client/lib/browser/compact-in-worker.ts";
import { compactInWorker } from "../../../../client/lib/browser/compact-in-worker.ts";
import { codeOf } from "../../../contract/replica-reading.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A worker that does what the test says. */
function stubWorker(onRequest: (worker: EventTarget, request: CompactRequest) => void) {
  const told: unknown[] = [];
  class StubWorker extends EventTarget {
    postMessage(request: CompactRequest): void {
      told.push(request);
      setImmediate(() => onRequest(this, request));
    }

    terminate(): void {
      told.push("terminated");
    }
  }
  vi.stubGlobal("Worker", StubWorker);
  return told;
}

const reply = (data: CompactReply): MessageEvent => new MessageEvent("message", { data });
const never = new AbortController().signal;

test("[L34] a worker compacts, and is ended then", async () => {
  const told = stubWorker((worker) => worker.dispatchEvent(reply({ kind: "done" })));
  await compactInWorker("replica", never);
  expect(told).toEqual([{ name: "replica" }, "terminated"]);
});

test("[L36] what a worker fails with is a StoreError", async () => {
  const failed = { kind: "failed", code: "full", message: "no space" } as const;
  const told = stubWorker((worker) => worker.dispatchEvent(reply(failed)));
  expect(await codeOf(compactInWorker("replica", never))).toBe("full");
  expect(told).toEqual([{ name: "replica" }, "terminated"]);
});

test("[L34] where workers are refused, nothing is done", async () => {
  vi.stubGlobal("Worker", undefined);
  await compactInWorker("replica", never);
  const told = stubWorker((worker) => worker.dispatchEvent(new Event("error")));
  await compactInWorker("replica", never);
  expect(told).toEqual([{ name: "replica" }, "terminated"]);
});

test("[L34] a store that closes ends the worker", async () => {
  const closing = new AbortController();
  const told = stubWorker(() => closing.abort());
  await compactInWorker("replica", closing.signal);
  expect(told).toEqual([{ name: "replica" }, "terminated"]);
});
