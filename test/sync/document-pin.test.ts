import { expect, test } from "vitest";
import { DocumentPin } from "../../src/sync/document-pin.ts";
import { startSocketServer } from "../support/socket-server.ts";

const IDLE_MS = 30_000;

test("[S43, P32] a document that is in use is not let go, however long that takes", async () => {
  const { documents, outline, clock } = await startSocketServer();
  const pin = new DocumentPin({ documents, outline, now: clock.now, onOpen: () => undefined });
  const isHeld = (): boolean => {
    pin.releaseIdle(IDLE_MS);
    return pin.openNow !== undefined && documents.stats().pinned === 1;
  };
  const { letGo } = await pin.hold();
  let end = (): void => undefined;
  const work = pin.use(() => new Promise<void>((resolve) => (end = resolve)));
  clock.advance(2 * IDLE_MS);
  expect(isHeld()).toBe(true);
  letGo();
  clock.advance(2 * IDLE_MS);
  expect(isHeld()).toBe(true);
  end();
  await work;
  clock.advance(IDLE_MS - 1);
  expect(isHeld()).toBe(true);
  clock.advance(1);
  expect(isHeld()).toBe(false);
});

test("[S43] a clock that was set back keeps no document open", async () => {
  const { documents, outline, clock } = await startSocketServer();
  let setBackMs = 0;
  const now = (): number => clock.now() - setBackMs;
  const pin = new DocumentPin({ documents, outline, now, onOpen: () => undefined });
  await pin.use(() => undefined);
  setBackMs = IDLE_MS - 1;
  pin.releaseIdle(IDLE_MS);
  expect(documents.stats().pinned).toBe(1);
  setBackMs = 2 * IDLE_MS;
  pin.releaseIdle(IDLE_MS);
  expect(documents.stats().pinned).toBe(0);
});
