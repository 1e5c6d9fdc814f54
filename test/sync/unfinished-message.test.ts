import { expect, test } from "vitest";
import { UnfinishedMessage } from "../../src/sync/unfinished-message.ts";

const PIECE = 65_536;
const LIMITS = { messageBytes: 100_000, messageMs: 30_000 };

function newMessage(): UnfinishedMessage {
  return new UnfinishedMessage(LIMITS);
}

test("[Q54] a fragment of a byte holds all that was read with it", () => {
  const message = newMessage();
  for (let count = 1; count <= 3; count++) {
    for (let pong = 0; pong < 500; pong++) message.addControl(125);
    message.addPiece(PIECE);
    expect(message.heldBytes).toBeGreaterThanOrEqual(count * PIECE);
  }
  expect(message.isTooLong).toBe(false);
  for (let count = 0; count < 3; count++) message.addPiece(PIECE);
  expect(message.isTooLong).toBe(true);
});

test("[Q54] many small pieces hold more than their bytes", () => {
  const message = newMessage();
  for (let count = 0; count < 100; count++) message.addPiece(1);
  expect(message.heldBytes).toBeGreaterThan(10_000);
});

test("[Q54] control frames alone are no message, in whatever pieces they come", () => {
  const message = newMessage();
  message.addControl(4);
  message.addPiece(10);
  expect([message.heldBytes, message.isLate(0, false)]).toEqual([0, false]);
  // A ping of ten bytes in two pieces.
  message.addPiece(3);
  expect(message.heldBytes).toBeGreaterThan(0);
  message.addControl(4);
  message.addPiece(7);
  expect([message.heldBytes, message.isLate(0, false)]).toEqual([0, false]);
  expect(message.isLate(100_000, false)).toBe(false);
});

test("[Q54] a message that ends holds nothing, and the next one has its own time", () => {
  const message = newMessage();
  message.addPiece(50_000);
  expect([message.isLate(0, false), message.isLate(33_000, false)]).toEqual([false, false]);
  message.endMessage();
  message.addPiece(1_000);
  expect([message.heldBytes, message.isLate(40_000, false)]).toEqual([0, false]);
  message.addPiece(100);
  expect([message.isLate(50_000, false), message.isLate(80_000, false)]).toEqual([false, false]);
  expect(message.isLate(81_000, false)).toBe(true);
});

test("[Q54] what comes on a slow line has longer, what is not read has any time", () => {
  const message = newMessage();
  message.addPiece(160_000);
  expect([message.isLate(0, false), message.isLate(93_000, false)]).toEqual([false, false]);
  expect(message.isLate(95_000, true)).toBe(false);
  expect([message.isLate(96_000, false), message.isLate(190_001, false)]).toEqual([false, true]);
  // A clock that was set back.
  expect([message.isLate(10, false), message.isLate(94_011, false)]).toEqual([false, true]);
});
