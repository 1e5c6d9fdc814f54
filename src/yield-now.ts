import { subscribe } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";

/** So long at most those who connect go before the work that has yielded: as long as a turn of it. */
const LETS_IN_MS = 4;

let connections = 0;
subscribe("net.server.socket", () => {
  connections++;
});

/**
 * Gives others their turn of the event loop, and while people connect, several turns: the loop takes
 * one connection in each. Without that who connects would wait for a turn of work behind each of those
 * who connected before.
 * @param elapsed milliseconds of a clock that nobody sets
 */
export async function yieldNow(elapsed = (): number => performance.now()): Promise<void> {
  const endsAt = elapsed() + LETS_IN_MS;
  let before: number;
  do {
    before = connections;
    await nextTurn();
  } while (connections > before && elapsed() < endsAt);
}
