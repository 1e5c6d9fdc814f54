import { encodeMessage } from "../../../../src/protocol/encode-message.ts";
import { maskedFrame } from "../../../support/socket-peer.ts";
import type { Abuse } from "../abuse.ts";
import { endlessMemory } from "../mutants.ts";
import { moment, sendUntilStuck } from "../http-wire.ts";
import { openRawWebsocket } from "../raw-websocket.ts";
import { sumOf, Tally } from "../tally.ts";

const FRAME_BYTES = 8 * 2 ** 20 - 1;
const PIECE_BYTES = 256 * 1024;
const QUESTION = maskedFrame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));

/** Each is as long as may be read at all, and lacks its last byte. */
export const unfinishedFrames: Abuse = {
  name: "unfinished-frames",
  fault: "read-only: websockets that each send a frame of 8 MiB but for its last byte",
  unit: "connections",
  full: 100,
  short: 50,
  mutants: {
    "the ledger": { wrong: "nobody has to give up what is held for them", edits: [endlessMemory] },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const frame = maskedFrame(new Uint8Array(FRAME_BYTES), 0x82);
    const pieces: Uint8Array[] = [QUESTION];
    for (let from = 0; from < frame.length - 1; from += PIECE_BYTES) {
      pieces.push(frame.subarray(from, Math.min(from + PIECE_BYTES, frame.length - 1)));
    }
    const send = async (): Promise<{ destroy(): void } | undefined> => {
      const socket = await openRawWebsocket(site, tally, site.readKey);
      if (socket === undefined) return undefined;
      socket.resume();
      await sendUntilStuck(socket, pieces, tally);
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: amount }, send));
    await moment();
    for (const socket of sockets) socket?.destroy();
    return tally.counts;
  },
  lackOf(counts, amount) {
    const met = sumOf(counts, "answered") + sumOf(counts, "notTaken");
    return met >= amount ? undefined : `only ${met} connections were answered`;
  },
};
