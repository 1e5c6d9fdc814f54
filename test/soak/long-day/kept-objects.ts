import { setTimeout as delay } from "node:timers/promises";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as Y from "yjs";
import { LiveReplica } from "../../../src/documents/replica/live-replica.ts";
import { OutlineChannel } from "../../../src/documents/replica/outline-channel.ts";
import { Room } from "../../../src/sync/room.ts";
import { Session } from "../../../src/sync/session.ts";

/** What there is for a user who is there, and must not be for one who has gone. */
const KINDS = { Session, Room, LiveReplica, OutlineChannel, document: Y.Doc } as const;

type Kind = keyof typeof KINDS;

const ALL_KINDS: readonly Kind[] = ["Session", "Room", "LiveReplica", "OutlineChannel", "document"];

/** How often it is looked whether what closes has closed. */
const LOOKS = 4;
const LOOK_EVERY_MS = 250;

/** What is still reached from anywhere, in words; what only takes a moment is waited for. */
export async function leftovers(): Promise<readonly string[]> {
  let kinds = ALL_KINDS;
  for (let look = 1; ; look++) {
    // Each count collects all garbage, which takes its time.
    const left = kinds.map((kind) => ({ kind, count: queryObjects(KINDS[kind], COUNT) }));
    kinds = left.flatMap(({ kind, count }) => (count > 0 ? [kind] : []));
    if (kinds.length === 0) return [];
    if (look === LOOKS) return left.map(({ kind, count }) => `${count} of ${kind}`);
    await delay(LOOK_EVERY_MS);
  }
}

const COUNT = { format: "count" } as const;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Heap and buffers that are reached, in MiB. */
export function heldMiB(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / (1024 * 1024);
}
