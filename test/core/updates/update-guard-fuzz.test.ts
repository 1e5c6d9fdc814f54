import * as encoding from "lib0/encoding";
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { marksOf, nodesOf } from "../../../src/core/schema.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { DEFAULT_UPDATE_LIMITS } from "../../../src/core/updates/update-limits.ts";
import { encodePlan, encodePlanInParts } from "../../../src/core/updates/update-plan.ts";
import {
  editAtRandom,
  fullUpdate,
  outlineDoc,
  shownBy,
  updateOf,
} from "../../documents/support/random-edits.ts";
import { type HonestWriter, yjsWriter, type YjsHabits, yrsWriter } from "../honest-writers.ts";
import { runs } from "../../support/runs.ts";
import { oneOf, integerBelow, seededRandom } from "../../support/seeded-random.ts";

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = outlineDoc(1);
  Y.applyUpdate(copy, fullUpdate(doc));
  return copy;
}

function hasPending({ store }: Y.Doc): boolean {
  return store.pendingStructs !== null || store.pendingDs !== null;
}

/** Every program that a person may have: stock clients of all habits, and one that is not Yjs. */
function honestWriters(random: () => number): readonly HonestWriter[] {
  const habits = (): YjsHabits => ({
    keepsAll: random() < 0.5,
    undoes: oneOf(random, ["nothing", "nodes", "everything"]),
    undoesMuch: random() < 0.3,
  });
  return [
    yjsWriter(7, { keepsAll: false, undoes: "nothing", undoesMuch: false }),
    yjsWriter(8, habits()),
    yjsWriter(9, habits()),
    yrsWriter(10, { keepsAll: random() < 0.5 }),
  ];
}

/** Something that a client may send: one update, some merged or cut, what the server lacks, or all. */
function sentBy(writer: HonestWriter, server: Y.Doc, random: () => number): Uint8Array | undefined {
  const { made } = writer;
  const roll = random();
  if (roll < 0.04) return writer.difference();
  if (roll < 0.12) return writer.difference(Y.encodeStateVector(server));
  if (made.length === 0) return undefined;
  if (roll < 0.6) return oneOf(random, made);
  if (roll < 0.7) return Y.diffUpdate(writer.difference(), Y.encodeStateVector(server));
  const from = integerBelow(random, made.length);
  const some = made.slice(from, from + 1 + integerBelow(random, 6));
  return Y.mergeUpdates(roll < 0.9 ? some : [oneOf(random, made), oneOf(random, made)]);
}

describe("updates of honest clients", () => {
  test("[D65] the guard lets through exactly what leaves nothing pending, and loses nothing", () => {
    const passed = new Map<string, number>();
    let missing = 0;
    const seeds = runs(12, 30);
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      const server = outlineDoc(1);
      const writers = honestWriters(random);
      for (let step = 0; step < 80; step++) {
        const writer = oneOf(random, writers);
        if (random() < 0.5) writer.edit(random);
        if (random() < 0.2) writer.receive(fullUpdate(server));
        if (random() < 0.05) writer.receive(oneOf(random, writers).difference());
        const update = sentBy(writer, server, random);
        if (update === undefined) continue;
        const expected = copyOf(server);
        Y.applyUpdate(expected, update);
        const inspection = inspectUpdate(server, update);
        const where = `seed ${seed}, step ${step}, ${writer.name}`;
        const outcome = inspection.kind === "refused" ? inspection.reason : inspection.kind;
        expect(outcome, where).toBe(hasPending(expected) ? "missing" : "ok");
        if (inspection.kind !== "ok") {
          missing++;
          continue;
        }
        passed.set(writer.name, (passed.get(writer.name) ?? 0) + 1);
        const inParts = copyOf(server);
        for (const part of encodePlanInParts(
          inspection.plan,
          1 + integerBelow(random, 3),
          inParts,
        )) {
          Y.applyUpdate(inParts, part);
          expect(hasPending(inParts), where).toBe(false);
        }
        Y.applyUpdate(server, inspection.whole ?? encodePlan(inspection.plan));
        expect(hasPending(server), where).toBe(false);
        expect(shownBy(server), where).toEqual(shownBy(expected));
        expect(shownBy(inParts), where).toEqual(shownBy(expected));
        expect(Y.encodeStateVector(server), where).toEqual(Y.encodeStateVector(expected));
      }
    }
    // Both outcomes were met often, by all kinds of writers, or the test shows nothing.
    expect(missing).toBeGreaterThan(1.6 * seeds);
    expect(passed.size).toBeGreaterThan(10);
    expect([...passed.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(16 * seeds);
  });
});

/** Damages an update the way a broken or hostile sender might. */
function damaged(update: Uint8Array, random: () => number): Uint8Array {
  const bytes = update.slice();
  for (let flips = 1 + integerBelow(random, 3); flips > 0; flips--) {
    const at = integerBelow(random, bytes.length);
    bytes[at] =
      random() < 0.5
        ? integerBelow(random, 256)
        : (bytes[at] ?? 0) ^ (1 << integerBelow(random, 8));
  }
  const roll = random();
  if (roll < 0.1) return bytes.subarray(0, integerBelow(random, bytes.length));
  if (roll < 0.2) {
    const from = integerBelow(random, bytes.length);
    return new Uint8Array([...bytes.subarray(0, from), ...bytes.subarray(from + 1)]);
  }
  return bytes;
}

describe("updates of broken and hostile clients", () => {
  test("[D66] damaged updates never throw, and what passes can be applied, stored and read again", () => {
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= runs(20, 50); seed++) {
      const random = seededRandom(seed);
      const doc = outlineDoc(7);
      const made = Array.from({ length: 25 }, () => updateOf(doc, () => editAtRandom(doc, random)));
      const half = outlineDoc(1);
      for (const update of made.slice(0, made.length / 2)) Y.applyUpdate(half, update);
      const next = made[Math.floor(made.length / 2)] ?? fullUpdate(doc);
      for (let round = 0; round < 40; round++) {
        const update = damaged(oneOf(random, [next, fullUpdate(doc)]), random);
        const inspection = inspectUpdate(half, update);
        const outcome = inspection.kind === "refused" ? inspection.reason : inspection.kind;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (inspection.kind !== "ok") continue;
        const where = `seed ${seed}, round ${round}`;
        const target = copyOf(half);
        Y.applyUpdate(target, inspection.whole ?? encodePlan(inspection.plan));
        expect(hasPending(target), where).toBe(false);
        const again = outlineDoc(1);
        Y.applyUpdate(again, fullUpdate(target));
        expect(hasPending(again), where).toBe(false);
        expect(shownBy(again), where).toEqual(shownBy(target));
      }
    }
    for (const outcome of ["ok", "missing", "malformed", "not_allowed"]) {
      expect(outcomes.get(outcome), outcome).toBeGreaterThan(5);
    }
  });

  test("[D66] random bytes never throw", () => {
    const random = seededRandom(1);
    const server = outlineDoc(1);
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from({ length: integerBelow(random, 60) }, () =>
        integerBelow(random, random() < 0.5 ? 8 : 256),
      );
      inspectUpdate(server, bytes);
    }
    expect(fullUpdate(server)).toEqual(fullUpdate(outlineDoc(1)));
  });
});

/** An update written by hand: sections of structs, then delete ranges of client 7. */
function handMade(
  sections: readonly { client: number; structs: readonly ((e: encoding.Encoder) => void)[] }[],
  ranges: readonly number[] = [],
): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, sections.length);
    for (const { client, structs } of sections) {
      for (const number of [structs.length, client, 0]) encoding.writeVarUint(encoder, number);
      for (const write of structs) write(encoder);
    }
    encoding.writeVarUint(encoder, ranges.length === 0 ? 0 : 1);
    if (ranges.length === 0) return;
    encoding.writeVarUint(encoder, 7);
    encoding.writeVarUint(encoder, ranges.length / 2);
    for (const number of ranges) encoding.writeVarUint(encoder, number);
  });
}

/** A value for an entry of a root map, or for a root array, that names no neighbour. */
function unanchored(root: string, entry?: string): (encoder: encoding.Encoder) => void {
  return (encoder) => {
    encoding.writeUint8(encoder, entry === undefined ? 8 : 0x28);
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarString(encoder, root);
    if (entry !== undefined) encoding.writeVarString(encoder, entry);
    encoding.writeVarUint(encoder, 1);
    encoding.writeAny(encoder, 1);
  };
}

describe("updates that are made to cost much", () => {
  const tooLarge = { kind: "refused", reason: "too_large" };

  test("[D67, Q44] a delete set of a million ranges", () => {
    const ranges = Array.from({ length: 2_000_000 }, (_, index) => (index % 2 === 0 ? index : 1));
    expect(inspectUpdate(outlineDoc(1), handMade([], ranges))).toStrictEqual(tooLarge);
  });

  test("[D67] as many ranges as a reconnecting client knows are none too many", () => {
    const client = outlineDoc(7);
    marksOf(client).push(Array.from({ length: 4_000 }, (_, index) => index));
    const ranges = Array.from({ length: 4_000 }, (_, index) => (index % 2 === 0 ? index : 1));
    const deletion = handMade([], ranges);
    const limits = { ...DEFAULT_UPDATE_LIMITS, maxSpareDeleteRanges: 100 };
    expect(inspectUpdate(client, deletion, limits)).toStrictEqual(tooLarge);
    Y.applyUpdate(client, deletion);
    expect(inspectUpdate(client, fullUpdate(client), limits)).toMatchObject({
      kind: "ok",
      plan: { runs: [], deletes: [] },
    });
  });

  test("[D67] thousands of values for one entry by clients that have not seen each other", () => {
    const structs = Array.from({ length: 2_000 }, () => unanchored("meta", "v"));
    const update = handMade([{ client: 7, structs }]);
    expect(inspectUpdate(outlineDoc(1), update)).toStrictEqual(tooLarge);
  });

  test("[D67] thousands of values at one place of a list", () => {
    const unanchoredOnes = Array.from({ length: 1_000 }, () => unanchored("clk"));
    // The higher client id would go first, if its first struct did not wait for the other's last.
    const waiting = (encoder: encoding.Encoder): void => {
      encoding.writeUint8(encoder, 0x88);
      for (const number of [7, 999, 1]) encoding.writeVarUint(encoder, number);
      encoding.writeAny(encoder, 1);
    };
    const update = handMade([
      { client: 9, structs: [waiting, ...unanchoredOnes] },
      { client: 7, structs: unanchoredOnes },
    ]);
    expect(inspectUpdate(outlineDoc(1), update)).toStrictEqual(tooLarge);
  });

  test("[D67] the same against a list that is long already", () => {
    const client = outlineDoc(7);
    const marks = marksOf(client);
    for (let index = 0; index < 3_000; index++) marks.insert(0, [index]);
    const server = copyOf(client);
    const structs = Array.from({ length: 1_000 }, () => unanchored("clk"));
    expect(inspectUpdate(server, handMade([{ client: 9, structs }]))).toStrictEqual(tooLarge);
  });

  test("[D67] but not a thousand edits all over a text that others edited too", () => {
    const random = seededRandom(3);
    const one = outlineDoc(7);
    const text = new Y.Text("word ".repeat(400));
    nodesOf(one).set("a1b2c3d4e5f6", text);
    const other = copyOf(one);
    other.clientID = 8;
    for (const doc of [one, other]) {
      const edited = nodesOf(doc).get("a1b2c3d4e5f6");
      if (edited === undefined) throw new Error("no text");
      for (let edit = 0; edit < 1_000; edit++) {
        const at = random() < 0.1 ? 0 : integerBelow(random, edited.length);
        if (random() < 0.3) edited.delete(at, Math.min(3, edited.length - at));
        else edited.insert(at, "some typed text");
      }
    }
    expect(inspectUpdate(other, fullUpdate(one))).toMatchObject({ kind: "ok" });
  });

  test("[D67] more bytes, structs, text or seeds than an update may have", () => {
    const client = outlineDoc(7);
    const text = new Y.Text("x".repeat(5_000));
    nodesOf(client).set("a1b2c3d4e5f6", text);
    const update = fullUpdate(client);
    const limited = (limits: Partial<typeof DEFAULT_UPDATE_LIMITS>) =>
      inspectUpdate(outlineDoc(1), update, { ...DEFAULT_UPDATE_LIMITS, ...limits });
    expect(limited({})).toMatchObject({ kind: "ok" });
    expect(limited({ maxBytes: 4_999 })).toStrictEqual(tooLarge);
    expect(limited({ maxStructs: 1 })).toStrictEqual(tooLarge);
    expect(limited({ maxTextLength: 4_999 })).toStrictEqual(tooLarge);
    const marked = outlineDoc(7);
    marksOf(marked).push(Array.from({ length: 10_001 }, (_, index) => index));
    expect(inspectUpdate(outlineDoc(1), fullUpdate(marked))).toStrictEqual(tooLarge);
    const firstSeed = 2 ** 28 - 2 ** 18 + 13 * 2_000;
    const seeds = Array.from({ length: 201 }, (_, index) => ({
      client: firstSeed + index,
      structs: [unanchored("clk")],
    }));
    expect(inspectUpdate(outlineDoc(1), handMade(seeds))).toStrictEqual(tooLarge);
  });

  test("[D67] values nested without end are malformed, not a stack overflow", () => {
    const deep = (encoder: encoding.Encoder): void => {
      encoding.writeUint8(encoder, 0x28);
      encoding.writeVarUint(encoder, 1);
      encoding.writeVarString(encoder, "meta");
      encoding.writeVarString(encoder, "v");
      encoding.writeVarUint(encoder, 1);
      for (let level = 0; level < 100_000; level++) {
        encoding.writeUint8(encoder, 117);
        encoding.writeVarUint(encoder, 1);
      }
      encoding.writeAny(encoder, 1);
    };
    expect(inspectUpdate(outlineDoc(1), handMade([{ client: 7, structs: [deep] }]))).toEqual({
      kind: "refused",
      reason: "malformed",
    });
  });
});
