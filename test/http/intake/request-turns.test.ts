import { expect, test } from "vitest";
import { payingUser } from "../../../src/charges/payer.ts";
import { Turns } from "../../../src/documents/turns/turns.ts";
import { RequestTurns } from "../../../src/http/intake/request-turns.ts";

const ANNA = payingUser("anna");
const BEN = payingUser("ben");

/** Turns of the event loop that a test ends one by one, with a clock that only work moves. */
function workshop() {
  let now = 0;
  let ends: (() => void)[] = [];
  const yieldNow = () => new Promise<void>((resolve) => ends.push(resolve));
  const elapsed = () => now;
  const turns = new RequestTurns({ turns: new Turns({ yieldNow }, elapsed), yieldNow, elapsed });
  const done: string[] = [];
  return {
    turns,
    done,
    /** Asks for work that takes so long. */
    ask: (payer: typeof ANNA, name: string, ms: number) =>
      turns.run(payer, () => {
        now += ms;
        done.push(name);
        return name;
      }),
    rest: (ms: number) => (now += ms),
    endTurn: async () => {
      const ending = ends;
      ends = [];
      for (const end of ending) end();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("[Q14] who has taken little is served at once", () => {
  const { ask } = workshop();
  expect(ask(ANNA, "first", 1)).toBe("first");
  expect(ask(ANNA, "second", 0.5)).toBe("second");
  expect(ask(BEN, "third", 0.1)).toBe("third");
});

test("[Q14] all that is asked in one turn is not done in one turn", async () => {
  const { ask, done, endTurn } = workshop();
  for (let count = 0; count < 100; count += 1) void ask(ANNA, "dear", 5);
  expect(done.length).toBe(1);
  await endTurn();
  // The turn has 4 ms.
  expect(done.length).toBe(2);
  await endTurn();
  expect(done.length).toBe(3);
});

test("[Q14] who has asked for little waits for one work of each other, not for all", async () => {
  const { ask, done, endTurn } = workshop();
  for (let count = 0; count < 100; count += 1) void ask(ANNA, "dear", 5);
  void ask(BEN, "small", 0.1);
  await endTurn();
  await endTurn();
  expect(done.slice(0, 3)).toEqual(["dear", "dear", "small"]);
});

test("[Q14] who took much of late waits, also when the turn is a new one, and others don't", async () => {
  const { ask, done, endTurn } = workshop();
  void ask(ANNA, "dear", 20);
  await endTurn();
  void ask(ANNA, "again", 1);
  expect(ask(BEN, "small", 1)).toBe("small");
  expect(done).toEqual(["dear", "small"]);
  await endTurn();
  await endTurn();
  expect(done).toEqual(["dear", "small", "again"]);
});

test("[Q14] a quarter of the time costs nothing", async () => {
  const { ask, rest, endTurn } = workshop();
  for (let count = 0; count < 20; count += 1) {
    expect(ask(ANNA, "steady", 2)).toBe("steady");
    rest(6);
    await endTurn();
  }
});

test("[Q14] work within work is accounted to whom it serves, once", async () => {
  const { turns, rest, ask, endTurn } = workshop();
  void turns.run(ANNA, () => turns.run(BEN, () => rest(20)));
  await endTurn();
  expect(ask(ANNA, "small", 1)).toBe("small");
  expect(ask(BEN, "again", 1)).toBeInstanceOf(Promise);
});

test("[Q14] works of one payer keep their order, and a failing one is nobody else's", async () => {
  const { ask, turns, done, endTurn } = workshop();
  void ask(ANNA, "dear", 20);
  const failed = turns.run(ANNA, () => {
    throw new Error("broken");
  });
  void ask(ANNA, "second", 0.1);
  const rejected = expect(failed).rejects.toThrow("broken");
  await endTurn();
  await endTurn();
  await rejected;
  expect(done).toEqual(["dear", "second"]);
});

test("[Q14] a thousand requests of one payer wait at most", async () => {
  const { ask, turns, endTurn } = workshop();
  void ask(ANNA, "dear", 20);
  for (let count = 0; count < 999; count += 1) void ask(ANNA, "waiting", 100);
  expect(turns.isCrowded(ANNA)).toBe(false);
  void ask(ANNA, "the last", 100);
  expect([turns.isCrowded(ANNA), turns.isCrowded(BEN)]).toEqual([true, false]);
  await endTurn();
  await endTurn();
  expect(turns.isCrowded(ANNA)).toBe(false);
});
