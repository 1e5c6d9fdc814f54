import { expect, test } from "vitest";
import { encodeAwarenessUpdate, readAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import type { PresenceReceipt } from "../../src/sync/room-presence.ts";
import { RoomPresence } from "../../src/sync/room-presence.ts";

interface Said {
  readonly client: number;
  readonly clock: number;
  readonly state: unknown;
}

const LIMITS = { presenceBytes: 100, presencesPerSecond: 10, presenceBytesPerSecond: 1e6 };
const ALICE: Author = { session: {}, keyId: "k1" };
const BOB: Author = { session: {}, keyId: "k2" };

function update(...presences: Said[]): Uint8Array {
  return encodeAwarenessUpdate(
    presences.map(({ state, ...rest }) => ({
      ...rest,
      state: new TextEncoder().encode(JSON.stringify(state)),
    })),
  );
}

function said(updates: readonly Uint8Array[]): readonly Said[] {
  return updates
    .flatMap((bytes) => readAwarenessUpdate(bytes, { maxPresences: 1000 }) ?? [])
    .map(({ client, clock, state }) => ({
      client,
      clock,
      state: JSON.parse(new TextDecoder().decode(state)) as unknown,
    }));
}

/** Nobody writes under any id, unless it is said who does. */
function newRoom(holders: ReadonlyMap<number, Author> = new Map(), limits = LIMITS): RoomPresence {
  return new RoomPresence(limits, (client, author) => {
    const holder = holders.get(client);
    return holder && holder.keyId === author.keyId;
  });
}

/** A room in which Alice is 5 and Bob is 6, and everybody has heard of it. */
function roomOfTwo(): RoomPresence {
  const room = newRoom();
  room.receive(ALICE, update({ client: 5, clock: 1, state: "a" }));
  room.receive(BOB, update({ client: 6, clock: 1, state: "b" }));
  room.takeChanges(0, 2);
  return room;
}

test("[S30] a presence is passed on once, to all but its lone author; a newcomer gets all", () => {
  const room = newRoom();
  room.receive(ALICE, update({ client: 5, clock: 1, state: { at: 1 } }));
  const alone = room.takeChanges(0, 2);
  expect(alone?.loneAuthor).toBe(ALICE.session);
  expect(said(alone?.updates ?? [])).toEqual([{ client: 5, clock: 1, state: { at: 1 } }]);
  expect(room.takeChanges(0, 2)).toBeUndefined();

  room.receive(ALICE, update({ client: 5, clock: 2, state: { at: 2 } }));
  room.receive(BOB, update({ client: 6, clock: 1, state: {} }));
  const both = room.takeChanges(1000, 2);
  expect(both?.loneAuthor).toBeUndefined();
  const everybody = [
    { client: 5, clock: 2, state: { at: 2 } },
    { client: 6, clock: 1, state: {} },
  ];
  expect(said(both?.updates ?? [])).toEqual(everybody);
  expect(said(room.everybody(0))).toEqual(everybody);
});

test("[S30] of several changes within a turn only the newest is passed on", () => {
  const room = newRoom();
  for (const clock of [1, 2, 3]) {
    room.receive(ALICE, update({ client: 5, clock, state: clock }));
  }
  expect(said(room.takeChanges(0, 2)?.updates ?? [])).toEqual([{ client: 5, clock: 3, state: 3 }]);
});

test("[S31] nobody changes or removes another's presence, however new the clock", () => {
  const room = roomOfTwo();
  const attempts = [
    { client: 6, clock: 9, state: "not bob" },
    { client: 6, clock: 9, state: null },
    { client: 7, clock: 1, state: "a second one" },
  ];
  for (const attempt of attempts) {
    expect(room.receive(ALICE, update(attempt))).toEqual({ kind: "ok" });
  }
  expect(room.hasChanges).toBe(false);
  const stranger: Author = { session: {}, keyId: "k3" };
  room.receive(stranger, update({ client: 6, clock: 9, state: "x" }));
  expect(room.hasChanges).toBe(false);
  expect(said(room.everybody(0))).toEqual([
    { client: 5, clock: 1, state: "a" },
    { client: 6, clock: 1, state: "b" },
  ]);
});

test("[S31] what a stock client repeats of others is left aside, its own part taken", () => {
  const room = roomOfTwo();
  const repeated = update(
    { client: 6, clock: 1, state: "b" },
    { client: 5, clock: 2, state: "a2" },
  );
  room.receive(ALICE, repeated);
  expect(said(room.takeChanges(1000, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 2, state: "a2" },
  ]);
});

test("[S31] older clocks and repeated ones are no news", () => {
  const room = roomOfTwo();
  room.receive(ALICE, update({ client: 5, clock: 1, state: "again" }));
  room.receive(ALICE, update({ client: 5, clock: 0, state: "older" }));
  expect(room.hasChanges).toBe(false);
});

test("[S32] states over the limit, states that are no JSON, updates that are none", () => {
  const room = roomOfTwo();
  const receive = (bytes: Uint8Array): PresenceReceipt["kind"] => room.receive(ALICE, bytes).kind;
  expect(receive(update({ client: 5, clock: 2, state: "x".repeat(99) }))).toBe("too_large");
  expect(receive(update({ client: 5, clock: 2, state: "x".repeat(98) }))).toBe("ok");
  const noJson = encodeAwarenessUpdate([{ client: 5, clock: 3, state: new Uint8Array([0x7b]) }]);
  expect(receive(noJson)).toBe("malformed");
  expect(receive(new Uint8Array([1, 5]))).toBe("malformed");
  expect(receive(new Uint8Array(600_000))).toBe("too_large");
  const many = Array.from({ length: 1001 }, (_, client) => ({ client, clock: 1, state: 1 }));
  expect(receive(update(...many))).toBe("malformed");
});

test("[S32] an author who sends more often is passed on later, with the newest state", () => {
  const room = newRoom();
  let passedOn = 0;
  for (let clock = 1; clock <= 50; clock++) {
    room.receive(ALICE, update({ client: 5, clock, state: clock }));
    if (room.takeChanges(0, 2) !== undefined) passedOn++;
  }
  expect(passedOn).toBe(20);
  expect(room.hasChanges).toBe(true);
  expect(room.takeChanges(50, 2)).toBeUndefined();
  expect(said(room.takeChanges(100, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 50, state: 50 },
  ]);
});

test("[S32] the more bytes go to the more receivers, the longer the next ones wait", () => {
  const room = newRoom(new Map(), { ...LIMITS, presenceBytesPerSecond: 1_000 });
  const state = "a".repeat(90);
  room.receive(ALICE, update({ client: 5, clock: 1, state }));
  expect(room.takeChanges(0, 10)?.updates).toHaveLength(1);
  const paidAt = 10 * JSON.stringify(state).length;
  room.receive(BOB, update({ client: 6, clock: 1, state: "b" }));
  expect(room.takeChanges(paidAt - 1, 10)).toBeUndefined();
  expect(room.hasChanges).toBe(true);
  expect(room.takeChanges(paidAt, 10)?.updates).toHaveLength(1);
  // A clock that was set back keeps nobody waiting.
  room.receive(BOB, update({ client: 6, clock: 2, state: "b" }));
  expect(room.takeChanges(-60_000, 10)?.updates).toHaveLength(1);
});

test("[S32, Q59] of many large presences for many some are passed on at once, all of them in turn", () => {
  const room = newRoom(new Map(), { ...LIMITS, presenceBytes: 4_096 });
  const authors = Array.from({ length: 90 }, () => ({ session: {}, keyId: "k" }));
  const clients = authors.map((author, client) => {
    room.receive(author, update({ client, clock: 1, state: "a".repeat(4_000) }));
    return client;
  });
  const heard: number[] = [];
  for (let now = 0; room.hasChanges; now += 10_000) {
    const { updates = [] } = room.takeChanges(now, 90) ?? {};
    const bytes = updates.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes * 90).toBeLessThan(1.1 * 1024 * 1024);
    heard.push(...said(updates).map(({ client }) => client));
  }
  expect(heard).toEqual(clients);
});

test("[S33] who leaves is gone for the others, at the clock they know", () => {
  const room = roomOfTwo();
  room.leave(ALICE.session);
  expect(said(room.takeChanges(0, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 1, state: null },
  ]);
  expect(said(room.everybody(0))).toEqual([{ client: 6, clock: 1, state: "b" }]);
  room.leave(ALICE.session);
  expect(room.hasChanges).toBe(false);
});

test("[S33] who said that they are gone is not removed a second time", () => {
  const room = roomOfTwo();
  room.receive(ALICE, update({ client: 5, clock: 2, state: null }));
  expect(said(room.takeChanges(1000, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 2, state: null },
  ]);
  room.leave(ALICE.session);
  expect(room.hasChanges).toBe(false);
});

test("[S33] who comes back with the clock the others know is made to count on", () => {
  const room = roomOfTwo();
  room.leave(ALICE.session);
  room.takeChanges(0, 2);
  const again: Author = { session: {}, keyId: "k1" };
  const receipt = room.receive(again, update({ client: 5, clock: 1, state: "a" }));
  expect(receipt.kind === "outdated" && said([receipt.answer])).toEqual([
    { client: 5, clock: 1, state: null },
  ]);
  room.receive(again, update({ client: 5, clock: 2, state: "a" }));
  expect(said(room.takeChanges(0, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 2, state: "a" },
  ]);
});

test("[S33] a new connection of the same key takes its presence over from the old one", () => {
  const room = roomOfTwo();
  const again: Author = { session: {}, keyId: "k1" };
  room.receive(again, update({ client: 5, clock: 2, state: "new" }));
  room.leave(ALICE.session);
  expect(said(room.takeChanges(0, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 2, state: "new" },
  ]);
  expect(said(room.everybody(0))).toHaveLength(2);
});

test("[S31] who only repeats what it heard takes nobody's presence over", () => {
  const room = roomOfTwo();
  const silent: Author = { session: {}, keyId: "k1" };
  expect(room.receive(silent, update({ client: 5, clock: 1, state: "a" }))).toEqual({
    kind: "ok",
  });
  room.leave(silent.session);
  expect(room.hasChanges).toBe(false);
});

test("[S31, S32] random, cut and flipped awareness updates throw nothing and change nobody else", () => {
  const random = seededRandom(5);
  const room = roomOfTwo();
  const own = update({ client: 5, clock: 2, state: { at: 1 } });
  const kinds = new Set<string>();
  for (let run = 0; run < 20_000; run++) {
    const bytes =
      run % 2 === 0
        ? own.map((byte) => (random() < 0.1 ? byte ^ (1 << integerBelow(random, 8)) : byte))
        : Uint8Array.from({ length: integerBelow(random, 20) }, () => integerBelow(random, 256));
    kinds.add(room.receive(ALICE, bytes.subarray(0, bytes.length - (run % 3))).kind);
  }
  expect(kinds).toEqual(new Set(["ok", "malformed"]));
  expect(said(room.everybody(0)).filter(({ client }) => client !== 5)).toEqual([
    { client: 6, clock: 1, state: "b" },
  ]);
});

test("[Q59] an id that somebody writes under is shown by nobody else, however early they come", () => {
  const room = newRoom(new Map([[5, ALICE]]));
  expect(room.receive(BOB, update({ client: 5, clock: 9, state: "I am Alice" })).kind).toBe("ok");
  expect(room.takeChanges(0, 2)).toBeUndefined();
  room.receive(ALICE, update({ client: 5, clock: 1, state: "a" }));
  // Bob's own is still his to choose.
  room.receive(
    BOB,
    update({ client: 5, clock: 10, state: "x" }, { client: 6, clock: 1, state: "b" }),
  );
  expect(said(room.takeChanges(0, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 1, state: "a" },
    { client: 6, clock: 1, state: "b" },
  ]);
});

test("[Q59] an id that is nobody's is of who comes first, until who writes under it comes", () => {
  const holders = new Map<number, Author>();
  const room = newRoom(holders);
  room.receive(BOB, update({ client: 5, clock: 9, state: "I am Alice" }));
  room.takeChanges(0, 2);
  holders.set(5, ALICE);
  // The others believe no older clock: she is told, and says it again with a greater one.
  const receipt = room.receive(ALICE, update({ client: 5, clock: 1, state: "a" }));
  expect(receipt.kind === "outdated" && said([receipt.answer])).toEqual([
    { client: 5, clock: 9, state: null },
  ]);
  expect(said(room.takeChanges(1_000, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 9, state: null },
  ]);
  room.receive(ALICE, update({ client: 5, clock: 10, state: "a" }));
  room.receive(BOB, update({ client: 5, clock: 11, state: "I am Alice" }));
  expect(said(room.everybody(0))).toEqual([{ client: 5, clock: 10, state: "a" }]);
});

test("[Q59] when it is known again whose the ids are, who shows another's is gone", () => {
  const room = roomOfTwo();
  room.review((client) => client === 6);
  expect(said(room.takeChanges(0, 2)?.updates ?? [])).toEqual([
    { client: 5, clock: 1, state: null },
  ]);
  expect(said(room.everybody(0))).toEqual([{ client: 6, clock: 1, state: "b" }]);
});

test("[Q59] no clock is so great that nobody can count on", () => {
  const room = newRoom();
  const { kind } = room.receive(ALICE, update({ client: 5, clock: 2 ** 50, state: "a" }));
  expect([kind, room.everybody(0)]).toEqual(["malformed", []]);
});
