import { encodeMessage } from "../../../../src/protocol/encode-message.ts";
import { maskedFrame } from "../../../support/socket-peer.ts";
import type { Abuse } from "../abuse.ts";
import { moment, sendUntilStuck } from "../http-wire.ts";
import { openRawWebsocket } from "../raw-websocket.ts";
import { sumOf, Tally } from "../tally.ts";

const CONNECTIONS = 6;
const PIECE_BYTES = 64 * 1024;
const MIB = 2 ** 20;
const QUESTION = maskedFrame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
const PONG = maskedFrame(new Uint8Array(125), 0x8a);
const BEGINNING = maskedFrame(new Uint8Array(1), 0x02);
const FRAGMENT = maskedFrame(new Uint8Array(1), 0x00);

/** A fragment of a byte keeps the buffer that it came in. */
export const unfinishedMessages: Abuse = {
  name: "unfinished-messages",
  fault: "read-only: messages that never end, a byte of them in each 64 KiB",
  unit: "MiB",
  full: 3_000,
  short: 400,
  mutants: {
    "limits of messages": {
      wrong: "a message may be as long as it likes, and what it keeps is not counted",
      edits: [
        ["return this.#streamBytes + this.#pieces * PIECE_BYTES;", "return 0;"],
        ["return this.#streamBytes > 2", "return 0 > 2"],
      ],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const pongs = Array.from({ length: Math.floor(PIECE_BYTES / PONG.length) }, () => PONG);
    const piece = Buffer.concat([...pongs, FRAGMENT]);
    const count = Math.ceil((amount * MIB) / CONNECTIONS / piece.length);
    const send = async (): Promise<{ destroy(): void } | undefined> => {
      const socket = await openRawWebsocket(site, tally, site.readKey);
      if (socket === undefined) return undefined;
      socket.resume();
      socket.write(Buffer.concat([QUESTION, BEGINNING]));
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
    const isSent = sumOf(counts, "bytesTaken") >= amount * MIB * 0.95;
    const isStopped = sumOf(counts, "closed") + sumOf(counts, "stuck") >= CONNECTIONS;
    return isSent || isStopped ? undefined : "neither sent nor stopped";
  },
};
