import { encodeMessage } from "../../../../src/protocol/encode-message.ts";
import { maskedFrame } from "../../../support/socket-peer.ts";
import type { Abuse } from "../abuse.ts";
import { endlessMemory } from "../mutants.ts";
import { moment, sendUntilStuck } from "../http-wire.ts";
import { openRawWebsocket } from "../raw-websocket.ts";
import { sumOf, Tally } from "../tally.ts";

const CONNECTIONS = 4;
const AT_ONCE = 500;
const PING = maskedFrame(new Uint8Array(125), 0x89);
const QUESTION = maskedFrame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));

/** Each has to be answered, and no answer is read. */
export const pings: Abuse = {
  name: "pings",
  fault: "read-only: pings as fast as they go, from connections that read no pong",
  unit: "pings",
  full: 4_000_000,
  short: 1_000_000,
  mutants: {
    "the newest pong": {
      wrong: "every ping is answered, whether or not the answers are read",
      edits: [
        ["this.#pong = Buffer.from(data);", "this.#ws.pong(Buffer.from(data));"],
        endlessMemory,
      ],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const piece = Buffer.concat(Array.from({ length: AT_ONCE }, () => PING));
    const count = amount / CONNECTIONS / AT_ONCE;
    const send = async (): Promise<{ destroy(): void } | undefined> => {
      const socket = await openRawWebsocket(site, tally, site.readKey);
      if (socket === undefined) return undefined;
      socket.pause();
      socket.write(QUESTION);
      await sendUntilStuck(
        socket,
        Array.from({ length: count }, () => piece),
        tally,
      );
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, send));
    await moment();
    for (const socket of sockets) socket?.destroy();
    return tally.counts;
  },
  lackOf(counts, amount) {
    const isSent = sumOf(counts, "bytesTaken") >= amount * PING.length * 0.5;
    const isStopped = sumOf(counts, "closed") + sumOf(counts, "stuck") >= CONNECTIONS;
    return isSent || isStopped ? undefined : "neither sent nor stopped";
  },
};
