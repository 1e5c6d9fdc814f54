import * as Y from "yjs";
import { LAYOUTS } from "../../src/core/node/layout.ts";
import {
  CALENDAR,
  dayKey,
  INBOX,
  ROOT,
  type NodeKey,
  type Random,
} from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { encodePlacement } from "../../src/core/tree/placement.ts";
import type { Position } from "../../src/core/tree/sibling-gap.ts";
import { isRecovered } from "../../src/core/tree/tree-row.ts";
import { integerBelow, oneOf } from "../support/seeded-random.ts";
import { registerOfShortcut, registersOf, type Ledger } from "./ledger.ts";

/** Who acts: an outline, how it deletes, and what it was last served. */
export interface Actor {
  readonly outline: Outline;
  readonly doc: Y.Doc;
  /** What it has seen of the log; undefined for the server, which deletes for good. */
  readonly seen: number | undefined;
}

interface ActionContext {
  readonly random: Random;
  readonly ledger: Ledger;
  readonly count: (what: string) => void;
}

export type Action = (actor: Actor, context: ActionContext) => void;

const DAYS = [dayKey(2026, 11, 20), dayKey(2026, 11, 21), dayKey(2027, 1, 1)];

function someKey({ outline }: Actor, { random }: ActionContext): NodeKey | undefined {
  const keys = [...outline.keysInOrder()];
  return keys.length === 0 ? undefined : oneOf(random, keys);
}

function somePosition(outline: Outline, parent: NodeKey, random: Random): Position {
  // What is only recovered has no place beside which anything could be put.
  const siblings = outline.childKeys(parent).filter((key) => {
    const row = outline.tree.rowAt(key);
    return row !== undefined && !isRecovered(row);
  });
  const kind = integerBelow(random, 4);
  if (kind === 0 || siblings.length === 0) return "top";
  if (kind === 1) return "bottom";
  return kind === 2 ? { after: oneOf(random, siblings) } : { before: oneOf(random, siblings) };
}

/**
 * A node that was put at a position is there. [I6 of the design] Siblings that have the same order
 * stay together: what is put between them stands behind them.
 */
function assertLanded(outline: Outline, key: NodeKey, parent: NodeKey, position: Position): void {
  const siblings = outline.childKeys(parent);
  const at = siblings.indexOf(key);
  if (at < 0 || !isAt(outline, siblings, at, position)) {
    throw new Error(`not where it was put: ${JSON.stringify({ key, position })}`);
  }
}

function isAt(
  outline: Outline,
  siblings: readonly NodeKey[],
  at: number,
  position: Position,
): boolean {
  const orderAt = (index: number): string | undefined => {
    const key = siblings[index];
    return key === undefined ? undefined : outline.tree.rowAt(key)?.order;
  };
  if (position === "top") return at === 0;
  if (position === "bottom") return orderAt(at + 1)?.startsWith("~") ?? true;
  const isAfter = "after" in position;
  const place = siblings.indexOf(isAfter ? position.after : position.before);
  if (!isAfter && place === at + 1) return true;
  // Behind the sibling, or behind the group that it and the one before it are in.
  const order = orderAt(place);
  const isInGroup = isAfter || orderAt(place - 1) === order;
  return isInGroup && orderAt(at - 1) === order && place < at;
}

const create: Action = (actor, context) => {
  const { outline } = actor;
  const { random, ledger } = context;
  const parent = random() < 0.8 ? (someKey(actor, context) ?? ROOT) : ROOT;
  const position = somePosition(outline, parent, random);
  const result = outline.create({ parent, position, name: "new" });
  if (result.kind !== "created") throw new Error(`create: ${result.kind}`);
  ledger.created(result.key);
  assertLanded(outline, result.key, parent, position);
  context.count("creates");
};

const createBelowSystemNode: Action = (actor, context) => {
  const parent = oneOf(context.random, [...DAYS, INBOX, CALENDAR]);
  const result = actor.outline.create({ parent, name: "captured" });
  if (result.kind !== "created") throw new Error(`create: ${result.kind}`);
  context.ledger.created(result.key);
  if (!actor.outline.contains(parent, result.key)) throw new Error("not in its day");
  context.count("captures");
};

const move: Action = (actor, context) => {
  const { outline } = actor;
  const key = someKey(actor, context);
  if (key === undefined) return;
  const parent = context.random() < 0.85 ? (someKey(actor, context) ?? ROOT) : ROOT;
  const position = somePosition(outline, parent, context.random);
  const inside = outline.heldBy(parent);
  const isBelowItself = outline.contains(key, inside);
  const result = outline.move(key, { parent, position });
  if (isBelowItself !== (result.kind === "invalid_parent")) throw new Error("invalid_parent");
  if (result.kind !== "ok") return;
  if (outline.node(key)?.parent !== inside) throw new Error("not below its new parent");
  const refersToItself =
    typeof position !== "string" &&
    ("after" in position ? position.after : position.before) === key;
  if (!refersToItself) assertLanded(outline, key, parent, position);
  context.ledger.moved(outline, key);
  context.count("moves");
};

const remove: Action = (actor, context) => {
  const key = someKey(actor, context);
  if (key === undefined) return;
  let below = 0;
  for (const _ of actor.outline.keysInOrder(key)) below++;
  if (below > 5 && context.random() < 0.7) return;
  context.ledger.deleted(actor.outline, key);
  const { seen } = actor;
  if (seen === undefined) context.ledger.erased(actor.outline, key);
  const result = seen === undefined ? actor.outline.remove(key) : actor.outline.trash(key, seen);
  if (result.kind !== "ok" || actor.outline.has(key)) throw new Error("not deleted");
  if (seen === undefined) context.ledger.deletedForGood(key);
  context.ledger.wrote(actor.outline, registersOf(key));
  context.count("deletes");
};

const restore: Action = (actor, context) => {
  const trashed = actor.outline.trashedKeys();
  if (trashed.length === 0) return;
  const key = oneOf(context.random, trashed);
  const isMirror = actor.outline.tree.mirrors.originOf(key) !== undefined;
  if (actor.outline.restore(key).kind !== "ok" || (!actor.outline.has(key) && !isMirror)) {
    throw new Error("not restored");
  }
  context.ledger.wrote(actor.outline, registersOf(key));
  context.count("restores");
};

/** Deletes for good what is in the trash. */
export const discard: Action = (actor, context) => {
  const trashed = actor.outline.trashedKeys();
  if (trashed.length === 0) return;
  const key = oneOf(context.random, trashed);
  context.ledger.deleted(actor.outline, key);
  context.ledger.erased(actor.outline, key);
  if (actor.outline.discard(key, actor.seen ?? "everything").kind !== "ok")
    throw new Error("not discarded");
  context.count("discards");
};

/** A place in a text at or behind `from` that is not inside a surrogate pair. */
function someBoundary(text: string, from: number, random: Random): number {
  const at = from + integerBelow(random, text.length - from + 1);
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at;
}

/** Types a token where it splits no other; devices as programs do that do not know mirrors. */
const type: Action = (actor, context) => {
  const shown = someKey(actor, context);
  const key = shown && (actor.seen === undefined ? actor.outline.heldBy(shown) : shown);
  const text = key && actor.doc.getMap<Y.Text>("nodes").get(key);
  if (key === undefined || text === undefined) return;
  const now = text.toJSON();
  let at = someBoundary(now, 0, context.random);
  while (at < now.length && now.lastIndexOf("{", at - 1) > now.lastIndexOf("}", at - 1)) at++;
  text.insert(at, context.ledger.token(key));
  context.count("edits");
};

const format: Action = (actor, context) => {
  const key = someKey(actor, context);
  const text = key && actor.doc.getMap<Y.Text>("nodes").get(key);
  if (key === undefined || text === undefined || text.length === 0) return;
  const now = text.toJSON();
  const at = someBoundary(now, 0, context.random);
  const length = someBoundary(now, at, context.random) - at;
  if (length === 0) return;
  const name = oneOf(context.random, ["b", "i", "s"]);
  text.format(at, length, { [name]: context.random() < 0.7 ? true : null });
  context.count("formats");
};

/** Renames as the API does, half of the time from an older state than the present one. */
const rename: Action = (actor, context) => {
  const { outline } = actor;
  const key = someKey(actor, context);
  const node = key && outline.node(key);
  // In a code block the tags of formats that it had before would be taken literally.
  if (key === undefined || node === undefined || node.layout === "code-block") return;
  const { name: base } = node;
  if (context.random() < 0.5) type(actor, context);
  const token = context.ledger.token(outline.heldBy(key), false);
  const name = context.random() < 0.5 ? `${base} ${token}` : `${token} ${base}`;
  const result = outline.update(key, { name, base });
  if (result.kind !== "ok") throw new Error(`update: ${result.kind}`);
  context.count("edits");
};

const annotate: Action = (actor, context) => {
  const key = someKey(actor, context);
  if (key === undefined) return;
  const note = oneOf(context.random, ["", "a note", "a longer note", null]);
  actor.outline.update(key, { note });
  if (actor.outline.node(key)?.note !== (note === "" ? null : note)) throw new Error("not noted");
  context.count("notes");
};

const configure: Action = (actor, context) => {
  const key = someKey(actor, context);
  if (key === undefined) return;
  const { outline } = actor;
  const { random } = context;
  if (random() < 0.4) outline.setCompleted(key, random() < 0.5);
  else if (random() < 0.5) outline.update(key, { layout: oneOf(random, LAYOUTS) });
  else if (random() < 0.8) outline.setShortcut(oneOf(random, ["work", "Home", "later"]), key);
  else outline.removeShortcut(oneOf(random, ["work", "home", "later"]));
  const shortcuts = ["work", "home", "later"].map(registerOfShortcut);
  context.ledger.wrote(outline, [...registersOf(outline.heldBy(key)), ...shortcuts]);
  context.count("settings");
};

/** Inserts at one place alternately before and behind, until order keys are long. */
const squeeze: Action = ({ outline }, { ledger, count }) => {
  const parent = outline.create({ parent: ROOT, name: "tight" });
  if (parent.kind !== "created") throw new Error(`create: ${parent.kind}`);
  ledger.created(parent.key);
  let position: Position = "top";
  for (let index = 0; index < 110; index++) {
    const result = outline.create({ parent: parent.key, position, name: `${index}` });
    if (result.kind !== "created") throw new Error(`create: ${result.kind}`);
    ledger.created(result.key);
    position = index % 2 === 0 ? { before: result.key } : { after: result.key };
  }
  count("squeezes");
};

export const mirror: Action = (actor, context) => {
  const { outline } = actor;
  const of = someKey(actor, context);
  if (of === undefined) return;
  const parent = context.random() < 0.8 ? (someKey(actor, context) ?? ROOT) : ROOT;
  const position = somePosition(outline, parent, context.random);
  const isInItself = outline.contains(outline.heldBy(of), outline.heldBy(parent));
  const result = outline.mirror(of, { parent, position });
  if (isInItself !== (result.kind === "invalid_parent")) throw new Error("mirror: invalid_parent");
  if (result.kind !== "created") return;
  const [made, origin] = [outline.node(result.key), outline.node(outline.heldBy(of))];
  if (made?.name !== origin?.name || made?.origin !== origin?.key) throw new Error("no mirror");
  assertLanded(outline, result.key, parent, position);
  context.count("mirrors");
};

/** What a program does that does not know mirrors: it sees a line without text, and puts one into it. */
const putIntoMirror: Action = (actor, context) => {
  const { outline, doc } = actor;
  const mirrors = [...outline.keysInOrder()].filter((key) => outline.heldBy(key) !== key);
  if (mirrors.length === 0) return;
  const parent = oneOf(context.random, mirrors);
  const key = outline.freeKey();
  doc.transact(() => {
    const text = new Y.Text("put");
    doc.getMap<Y.Text>("nodes").set(key, text);
    text.setAttribute("p", encodePlacement({ parent, order: "V", createdAt: outline.now() }));
  });
  if (outline.node(key)?.parent !== outline.heldBy(parent)) throw new Error("not in the origin");
  context.ledger.created(key);
  context.count("intoMirrors");
};

/** Actions with how often they are chosen. */
export type Mix = readonly (readonly [weight: number, action: Action])[];

export const EVERYDAY: Mix = [
  [28, create],
  [5, createBelowSystemNode],
  [30, move],
  [10, remove],
  [2, restore],
  [8, type],
  [4, format],
  [8, rename],
  [2, annotate],
  [3, configure],
  [0.15, squeeze],
];

/** With mirrors. A mix of its own, so that the seeds of the others go on meaning the same. */
export const MIRRORED: Mix = [...EVERYDAY, [25, mirror], [4, putIntoMirror]];

/** Moves above all, in a small outline: rings in most runs. */
export const STORM: Mix = [
  [4, create],
  [86, move],
  [3, remove],
  [3, type],
  [2, rename],
  [2, createBelowSystemNode],
];

export function chooseAction(mix: Mix, random: Random): Action {
  const total = mix.reduce((sum, [weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [weight, action] of mix) {
    left -= weight;
    if (left < 0) return action;
  }
  return create;
}
