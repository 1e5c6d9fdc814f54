import { expect } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { RepairSteps } from "../../src/core/merge/repair-steps.ts";
import { nodesOf, textOf } from "../../src/core/schema.ts";
import { Lab } from "./lab.ts";
import { permutationsOf } from "./permutations.ts";
import type { Device } from "./replicas.ts";

/** What one side does to a node's text; the sides do so without having seen each other. */
export type Edit = (text: Y.Text, device: Device, key: NodeKey) => void;

/** As an API client does. */
export const rename =
  (name: string): Edit =>
  (_text, { outline }, key) => {
    expect(outline.update(key, { name }).kind).toBe("ok");
  };

/** As an editor does: what is selected goes first, and what is typed comes in one input. */
export const type =
  (at: number, remove: number, insert: string): Edit =>
  (_text, { outline }, key) => {
    outline.editText(key, "name", (text) => {
      if (remove > 0) text.delete(at, remove);
      if (insert !== "") text.insert(at, insert);
    });
  };

/** As a client that knows nothing of outlines does. */
export const raw =
  (edit: (text: Y.Text) => void): Edit =>
  (text) =>
    text.doc?.transact(() => edit(text));

/** A line that all have. */
export function planted(
  name: string,
  devices: number,
  steps: Partial<RepairSteps> = {},
): { lab: Lab; key: NodeKey } {
  const lab = new Lab("", devices, steps);
  const made = lab.server.outline.create({ parent: ROOT, name });
  if (made.kind !== "created") throw new Error(made.kind);
  lab.pullAll();
  return { lab, key: made.key };
}

/** The name that comes of edits that arrive in an order. @param apartSec how long after each other they are made */
export function merged(
  name: string,
  edits: readonly Edit[],
  order: readonly number[],
  steps: Partial<RepairSteps> = {},
  apartSec = 0,
): string {
  const { lab, key } = planted(name, edits.length, steps);
  for (const [index, edit] of edits.entries()) {
    lab.clock.passSeconds(apartSec);
    const device = lab.device(index);
    const text = textOf(nodesOf(device.doc), key);
    if (text === undefined) throw new Error("no text");
    edit(text, device, key);
    // A device that was away sends what it did as one update.
    const whole = Y.mergeUpdates(device.unsent.splice(0));
    device.unsent.push(whole);
  }
  for (const index of order) {
    lab.push(lab.device(index));
    expect(lab.server.repair.run()).toBe(false);
  }
  lab.pullAll();
  const names = [lab.server, ...lab.devices].map(({ outline }) => outline.node(key)?.name);
  expect(new Set(names).size).toBe(1);
  return names[0] ?? "";
}

/** The name that comes of it, which must be the same in every order of arrival. */
export function outcome(name: string, ...edits: readonly Edit[]): string {
  return outcomeApart(0, name, ...edits);
}

/** The same of edits that are made some seconds after each other. */
export function outcomeApart(seconds: number, name: string, ...edits: readonly Edit[]): string {
  const outcomes = permutationsOf(edits.map((_, index) => index)).map((order) =>
    merged(name, edits, order, {}, seconds),
  );
  expect(outcomes).toEqual(outcomes.map(() => outcomes[0]));
  return outcomes[0] ?? "";
}
