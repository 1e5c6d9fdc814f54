import { expect } from "vitest";
import * as Y from "yjs";
import type { Lab } from "./lab.ts";
import { shape } from "./outline-notation.ts";
import { permutationsOf } from "./permutations.ts";
import type { Device } from "./replicas.ts";

/** What a device does while it is away. */
export type Away = (device: Device, index: number) => void;

/**
 * What is shown when each device has done its own without having seen the others', and has sent it as
 * one update: the same on every replica, whichever comes first.
 * @param begin a new lab, and what its devices do
 */
export function shownInEveryOrder(
  devices: number,
  begin: () => { readonly lab: Lab; readonly away: Away },
): string {
  const indexes = Array.from({ length: devices }, (_, index) => index);
  const shapes = permutationsOf(indexes).map((order) => {
    const { lab, away } = begin();
    for (const [index, device] of lab.devices.entries()) {
      away(device, index);
      device.unsent.push(Y.mergeUpdates(device.unsent.splice(0)));
    }
    for (const index of order) lab.push(lab.device(index));
    expect(lab.server.repair.run()).toBe(false);
    lab.pullAll();
    const shown = [lab.server, ...lab.devices].map(({ outline }) => shape(outline));
    expect(shown).toEqual(shown.map(() => shown[0]));
    return shown[0] ?? "";
  });
  expect(shapes).toEqual(shapes.map(() => shapes[0]));
  return shapes[0] ?? "";
}
