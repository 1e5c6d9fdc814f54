import type { Socket } from "node:net";
import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse, Site } from "../abuse.ts";
import { countAnswers, openTcp, requestBytes } from "../http-wire.ts";
import { withoutTurns } from "../mutants.ts";
import { keyOf, placement, plant } from "../planted.ts";
import { fewerThan, sumOf, Tally } from "../tally.ts";

const ADDRESSES = ["127.0.0.2", "127.0.0.3"];
const CONNECTIONS = 1_600;

/** Nothing but many, each like everybody's. */
export const smallRequests: Abuse = {
  name: "small-requests",
  fault:
    "small reads, writes and references to nothing on 1,600 connections, all at the same moment, again and again",
  unit: "requests",
  full: 16_000,
  short: 16_000,
  mutants: withoutTurns,
  async prepare(site) {
    await plant(site, new Tally(), [{ key: keyOf(0), place: placement(ROOT, 0), name: "small" }]);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const answered = (): number => sumOf(tally.counts, "answered");
    const open = async (_: unknown, index: number): Promise<Socket | undefined> => {
      const address = ADDRESSES[index % ADDRESSES.length] ?? site.address;
      const socket = await openTcp({ ...site, address });
      if (socket !== undefined) countAnswers(socket, tally);
      return socket;
    };
    const opened = await Promise.all(Array.from({ length: CONNECTIONS }, open));
    const sockets = opened.filter((socket) => socket !== undefined);
    for (let sent = 0; sent < amount;) {
      const live = sockets.filter(({ destroyed }) => !destroyed);
      if (live.length === 0) break;
      const before = answered();
      const replies = live.map((socket) => reply(socket));
      for (const socket of live) socket.write(smallRequest(site, sent++));
      await Promise.all(replies);
      tally.add("bursts");
      if (answered() === before) break;
    }
    for (const socket of sockets) socket.destroy();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount * 0.9),
};

/** The next bytes, which are all of a small answer; or the end. */
function reply(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off("data", end).off("close", end);
      resolve();
    };
    socket.on("data", end).on("close", end);
  });
}

function smallRequest({ key }: Site, index: number): string {
  switch (index % 4) {
    case 0: {
      const body = JSON.stringify({ name: `n${index}` });
      return requestBytes("POST", `/api/v1/nodes/${keyOf(0)}`, { key, body });
    }
    case 1:
      return requestBytes("GET", `/api/v1/nodes/${"r".repeat(2_000)}${index}`, { key });
    case 2:
      return requestBytes("GET", `/api/v1/nodes?parent_id=${index}-01-01`, { key });
    default:
      return requestBytes("GET", "/api/v1/targets", { key });
  }
}
