import { expect, test } from "vitest";
import { Outbox, ownEdit } from "../../../client/lib/outbox.ts";

test("[L9] days of typing, read from the store once more, are settled at a cost of milliseconds", () => {
  const outbox = new Outbox();
  // Work for each of them by each other would take minutes.
  const edits = Array.from({ length: 150_000 }, (_, index) =>
    ownEdit(new Uint8Array(new Uint32Array([index]).buffer), 0, index + 1),
  );
  for (let times = 0; times < 2; times += 1) for (const edit of edits) outbox.add(edit);
  for (let from = 0; from < edits.length; from += 256) outbox.settle(edits.slice(from, from + 256));
  expect(outbox.size).toBe(0);
});
