import * as encoding from "lib0/encoding";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { DEFAULT_UPDATE_LIMITS } from "../../../src/core/updates/update-limits.ts";
import { readUpdate } from "../../../src/core/updates/update-reader.ts";

const { maxStructs } = DEFAULT_UPDATE_LIMITS;
const TOO_LARGE = { kind: "refused", reason: "too_large" };

/** An update of sections of so many clients with the same numbers behind each client's id. */
function updateOf(
  structs: { readonly clients: number },
  deletes: { readonly clients: number; readonly ranges: readonly number[] },
): Uint8Array {
  return encoding.encode((encoder) => {
    const write = (...numbers: readonly number[]): void => {
      for (const number of numbers) encoding.writeVarUint(encoder, number);
    };
    write(structs.clients);
    for (let client = 1; client <= structs.clients; client++) write(0, client, 0);
    write(deletes.clients);
    for (let client = 1; client <= deletes.clients; client++) write(client, ...deletes.ranges);
  });
}

test("[D67] sections of nothing count, so that a message of them takes no memory to speak of", () => {
  const doc = new Y.Doc();
  const none = { clients: 0, ranges: [] };
  const few = updateOf({ clients: 1_000 }, { clients: 1_000, ranges: [0] });
  expect(inspectUpdate(doc, few).kind).toBe("ok");
  expect(inspectUpdate(doc, updateOf({ clients: maxStructs + 1 }, none))).toEqual(TOO_LARGE);
  const deletes = { clients: maxStructs + 1, ranges: [0] };
  expect(inspectUpdate(doc, updateOf({ clients: 0 }, deletes))).toEqual(TOO_LARGE);
});

test("[D67] how many ranges there may be is asked once, and sections of one are read in steps", () => {
  const update = updateOf({ clients: 0 }, { clients: 5_000, ranges: [1, 0, 1] });
  let asked = 0;
  const limits = { maxStructs, maxDeleteRanges: () => (asked++, 10_000) };
  expect([...readUpdate(update, limits)].length).toBeGreaterThan(10);
  expect(inOneGo(readUpdate(update, limits)).deletes).toHaveLength(5_000);
  // Once for each of the two readings.
  expect(asked).toBe(2);
});
