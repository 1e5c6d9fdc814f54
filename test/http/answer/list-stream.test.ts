import { expect, test } from "vitest";
import { listStream, separated, type ListSource } from "../../../src/http/answer/list-stream.ts";

test("[P79] what can be read at once of a list is made within the turns of whom it is for", async () => {
  let isTurn = false;
  const made: boolean[] = [];
  function* items(): Generator<string> {
    for (const item of ["1", "2", "3"]) {
      made.push(isTurn);
      yield item;
    }
  }
  const source: ListSource = {
    document: { readNow: (fn) => ({ result: fn() }), read: async (fn) => fn() },
    around: [`{"nodes":[`, "]}"],
    pieces: separated(items()),
    requireWanted: () => undefined,
    takeTurn: async (work) => {
      isTurn = true;
      const result = work({ isOver: true });
      isTurn = false;
      return result;
    },
    onHeld: () => undefined,
  };
  const text = (await listStream(source).toArray()).join("");
  expect(text).toBe(`{"nodes":[1,2,3]}`);
  expect(made).toEqual([true, true, true]);
});

test("[P79] a list of which something is not yet durable is made when that is", async () => {
  let reads = 0;
  const source: ListSource = {
    document: {
      readNow: () => undefined,
      read: async (fn) => {
        reads++;
        return fn();
      },
    },
    around: [`{"nodes":[`, "]}"],
    pieces: separated(["1", "2"]),
    requireWanted: () => undefined,
    takeTurn: async (work) => work({ isOver: true }),
    onHeld: () => undefined,
  };
  expect((await listStream(source).toArray()).join("")).toBe(`{"nodes":[1,2]}`);
  expect(reads).toBe(3);
});
