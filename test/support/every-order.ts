import type { NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { Lab } from "./lab.ts";
import { keyOf, type Notation } from "./outline-notation.ts";
import { permutationsOf } from "./permutations.ts";
import type { Device, Server } from "./replicas.ts";

/** What somebody does in a replica of the outline; `at` is the key of a node by its name. */
export type Act = (outline: Outline, at: (name: string) => NodeKey, seen: number) => void;

export interface Scene {
  readonly notation: Notation;
  /** What all have seen. */
  readonly before?: Act;
  /** What different people do at the same time, unseen by each other: a second apart, in this order. */
  readonly acts: readonly Act[];
}

/**
 * Plays a scene with every assignment of its acts to devices and the server, and every order in which
 * the devices' updates come, and hands each end to `check`: the server and the devices, which are
 * all the same.
 * @returns how many there were
 */
export function everyOrder(
  scene: Scene,
  check: (outline: Outline, at: (name: string) => NodeKey, lab: Lab) => void,
): number {
  const { notation, before, acts } = scene;
  let played = 0;
  const devices = Array.from({ length: acts.length }, (_, index) => index);
  for (const actors of permutationsOf([...devices, "server" as const])) {
    // One of them has nothing to do, and nothing to send.
    const senders = devices.filter((device) => actors.indexOf(device) < acts.length);
    for (const arrivals of permutationsOf(senders)) {
      const lab = new Lab(notation, acts.length);
      const at = (name: string): NodeKey => keyOf(lab.keys, name);
      lab.clock.passSeconds(10);
      if (before !== undefined) before(lab.server.outline, at, lab.server.log.length);
      lab.pullAll();
      for (const [index, act] of acts.entries()) {
        lab.clock.passSeconds(1);
        const actor = actors[index] ?? "server";
        const replica: Server | Device = actor === "server" ? lab.server : lab.device(actor);
        act(replica.outline, at, actor === "server" ? lab.server.log.length : replicaSeen(replica));
        if (actor === "server") lab.server.repair.run();
      }
      lab.clock.passSeconds(100);
      for (const device of arrivals) lab.push(lab.device(device));
      lab.pullAll();
      for (const { outline } of [lab.server, ...lab.devices]) check(outline, at, lab);
      if (lab.server.repair.run()) throw new Error("repair does not come to an end");
      played++;
    }
  }
  return played;
}

function replicaSeen(replica: Server | Device): number {
  return "seen" in replica ? replica.seen : 0;
}
