import type { Abuse } from "../abuse.ts";
import { countAnswers, moment, openTcp, requestBytes, sendUntilStuck } from "../http-wire.ts";
import { endlessMemory } from "../mutants.ts";
import { sumOf, Tally } from "../tally.ts";

const BODY_BYTES = 10 * 2 ** 20;
const PIECE = Buffer.alloc(256 * 1024, 0x20);
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];

/** Nobody knows who it is, and the last byte never comes. */
export const unreadBodies: Abuse = {
  name: "unread-bodies",
  fault: "without a key: sign-ins with bodies of 10 MiB, each but for its last byte",
  unit: "connections",
  full: 560,
  short: 40,
  mutants: {
    "what bodies may be": {
      wrong: "who has no key may send as much as others, and nobody has to give anything up",
      edits: [["PUBLIC_BODY_BYTES = 1024;", "PUBLIC_BODY_BYTES = 1e9;"], endlessMemory],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const send = async (_: unknown, index: number): Promise<{ destroy(): void } | undefined> => {
      const address = ADDRESSES[index % ADDRESSES.length] ?? site.address;
      const socket = await openTcp({ ...site, address });
      if (socket === undefined) {
        tally.add("notTaken");
        return undefined;
      }
      countAnswers(socket, tally);
      socket.write(requestBytes("POST", "/session", { length: BODY_BYTES }));
      await sendUntilStuck(socket, bodyWithoutEnd(), tally);
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: amount }, send));
    await moment();
    for (const socket of sockets) socket?.destroy();
    return tally.counts;
  },
  lackOf(counts, amount) {
    const met = ["answered", "notTaken", "closed", "stuck"].reduce(
      (sum, name) => sum + sumOf(counts, name),
      0,
    );
    const isTaken = sumOf(counts, "bytesTaken") >= amount * PIECE.length;
    return met >= amount || isTaken ? undefined : `${met} refused, and nothing taken`;
  },
};

function* bodyWithoutEnd(): Generator<Uint8Array> {
  for (let left = BODY_BYTES - 1; left > 0; left -= PIECE.length) {
    yield PIECE.subarray(0, Math.min(left, PIECE.length));
  }
}
