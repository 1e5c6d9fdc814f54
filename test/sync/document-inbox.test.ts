import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, test } from "vitest";
import { DocumentInbox } from "../../src/sync/document-inbox.ts";
import { DocumentPin } from "../../src/sync/document-pin.ts";
import { Turn } from "../../src/sync/turn.ts";
import { workshop } from "../documents/support/workshop.ts";
import { until } from "../support/socket-until.ts";

/** Messages say how many milliseconds they take; what is done of them, by turns of the event loop. */
class Workplace {
  readonly done: string[] = [];
  readonly turn = new Turn({ timers: { yieldNow: () => yieldNow() }, now: () => this.now });
  now = 0;
  readonly #shop = workshop();
  readonly pin = new DocumentPin({
    documents: this.#shop.documents,
    outline: this.#shop.id,
    now: () => this.now,
    onOpen: () => undefined,
  });

  inbox(name: string, wait?: Promise<void>): DocumentInbox<number> {
    return new DocumentInbox<number>({
      pin: this.pin,
      turn: this.turn,
      handle: (_document, ms) => {
        this.now += ms;
        this.done.push(`${name}${ms}`);
        return ms === 0 ? wait : undefined;
      },
      onEmptied: () => this.done.push(`${name} is empty`),
      onFailed: (error) => this.done.push(String(error)),
    });
  }
}

test("[S45] messages of a turn share its time, and the rest is handled in order in later ones", async () => {
  const place = new Workplace();
  await place.pin.use(() => undefined);
  const [one, two] = [place.inbox("a"), place.inbox("b")];
  for (const ms of [3, 4, 5, 6, 7]) one.push(ms);
  two.push(1);
  expect(place.done).toEqual(["a3", "a4", "a5"]);
  expect([one.isWaiting, two.isWaiting]).toEqual([true, true]);
  await yieldNow();
  two.push(2);
  await until(() => !one.isWaiting && !two.isWaiting);
  const of = (name: string): readonly string[] =>
    place.done.filter((each) => each.startsWith(name));
  expect(of("a")).toEqual(["a3", "a4", "a5", "a6", "a7", "a is empty"]);
  expect(of("b")).toEqual(["b1", "b2", "b is empty"]);
  one.push(8);
  expect(place.done.at(-1)).toBe("a8");
});

test("[S45] what follows a message that takes a while waits for it, and nobody else does", async () => {
  const place = new Workplace();
  await place.pin.use(() => undefined);
  let finish: () => void = () => undefined;
  const one = place.inbox(
    "a",
    new Promise((resolve) => {
      finish = resolve;
    }),
  );
  const two = place.inbox("b");
  one.push(0);
  one.push(1);
  two.push(2);
  await yieldNow();
  expect([place.done, one.isWaiting]).toEqual([["a0", "b2"], true]);
  finish();
  await until(() => !one.isWaiting);
  expect(place.done).toEqual(["a0", "b2", "a1", "a is empty"]);
});
