import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { yieldNow } from "../../src/yield-now.ts";
import { slowClock } from "../support/slow-clock.ts";

const PEOPLE = 60;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** After how many turns of work all are let in who connected before. */
async function turnsUntilAllAreIn(yields: () => Promise<unknown>): Promise<number> {
  const inside: Socket[] = [];
  const server = createServer((socket) => inside.push(socket)).listen(0, "127.0.0.1", 1_000);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const outside = Array.from({ length: PEOPLE }, () => connect(port, "127.0.0.1"));
  ends.push(() => {
    for (const socket of [...inside, ...outside]) socket.destroy();
    server.close();
  });
  let turns = 0;
  while (inside.length < PEOPLE) {
    await yields();
    turns++;
  }
  return turns;
}

test("[P132] who connects does not wait for a turn of work behind each who connected before", async () => {
  expect(await turnsUntilAllAreIn(nextTurn)).toBeGreaterThanOrEqual(PEOPLE);
  const standing = (): number => 0;
  expect(await turnsUntilAllAreIn(() => yieldNow(standing))).toBeLessThan(PEOPLE / 2);
});

test("[P132] work goes on though people connect without end", async () => {
  const end = new AbortController();
  const connecting = (async () => {
    let turns = 0;
    for (; !end.signal.aborted; turns++) {
      channel("net.server.socket").publish({});
      await nextTurn();
    }
    return turns;
  })();
  await yieldNow(slowClock(1));
  end.abort();
  expect(await connecting).toBeLessThan(10);
});

test("[P132] while nobody connects, work goes on in the next turn", async () => {
  let turns = 0;
  const counting = (async () => {
    await nextTurn();
    for (; turns < 3; turns++) await nextTurn();
  })();
  await yieldNow();
  expect(turns).toBe(0);
  await counting;
});
