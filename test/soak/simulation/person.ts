import type { Replica } from "../../../client/lib/replica.ts";
import { LAYOUTS } from "../../../src/core/node/layout.ts";
import { CALENDAR, dayKey, INBOX, type NodeKey, type Random } from "../../../src/core/node-key.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { type Claims, keysAtAndBelow } from "./claims.ts";
import type { Device, Run } from "./device.ts";
import { isGuarded, someGap, someNode, somePlace } from "./places.ts";

/** Who does something, at what, and where it is written down. */
interface Doing {
  readonly device: Device;
  readonly run: Run;
  readonly replica: Replica;
  readonly random: Random;
  readonly claims: Claims;
}

type Act = (doing: Doing) => void;

const DAYS = [dayKey(2026, 11, 20), dayKey(2026, 11, 21), dayKey(2027, 1, 1)];
const TIMEZONES = ["Europe/Paris", "Asia/Tokyo", "America/New_York"];

/** Does something that makes new nodes or a token, and claims them. */
function making(
  { device, run, claims }: Doing,
  token: { text: string; key: NodeKey } | undefined,
  make: () => readonly NodeKey[],
): void {
  const nodes: NodeKey[] = [];
  const claim = claims.make({ maker: device, run, nodes, token });
  run.claim = claim;
  nodes.push(...make());
  run.claim = undefined;
}

/**
 * Does something that may hide nodes: those are deleted in front of the eyes, and with them what is
 * hidden below them, because somebody else has deleted something between.
 */
function hiding({ replica: { outline }, claims }: Doing, hide: () => void): void {
  const hidden = new Set(outline.keysInOrder());
  hide();
  for (const key of outline.keysInOrder()) hidden.delete(key);
  for (const key of hidden) claims.deleted(keysAtAndBelow(outline, key));
}

const write: Act = (doing) => {
  const { replica, random, claims } = doing;
  const key = someNode(replica.outline, random, isGuarded);
  const part = random() < 0.8 ? "name" : "note";
  const text = key && replica.edits.text(key, part, true);
  if (key === undefined || text === undefined) return create(doing);
  const at = someGap(text.toJSON(), random);
  // Notes are merged when several devices begin one: only names are vouched for.
  const held = replica.outline.heldBy(key);
  const token = part === "name" ? { text: claims.newToken(), key: held } : undefined;
  making(doing, token, () => {
    const insert = token?.text ?? "note\n";
    const edit = { at, remove: 0, insert };
    const isBold = random() < 0.1;
    replica.edits.type(key, part, isBold ? { ...edit, formats: { b: true } } : edit);
    return [];
  });
};

const rewrite: Act = ({ replica, random }) => {
  const key = someNode(replica.outline, random, (each) => !isGuarded(each));
  const text = key && replica.edits.text(key, "name");
  if (key === undefined || text === undefined) return;
  const at = integerBelow(random, text.length + 1);
  const insert = oneOf(random, ["", "w", "two words", "😀", "**bold**"]);
  replica.edits.type(key, "name", { at, remove: integerBelow(random, 6), insert });
};

const format: Act = ({ replica, random }) => {
  const key = someNode(replica.outline, random);
  const length = (key && replica.edits.text(key, "name")?.length) ?? 0;
  if (key === undefined || length === 0) return;
  const from = integerBelow(random, length);
  const to = from + 1 + integerBelow(random, length - from);
  const value = random() < 0.7 ? true : null;
  replica.edits.format(key, "name", { from, to }, oneOf(random, ["b", "i", "s"]), value);
};

const create: Act = (doing) => {
  const { replica, random } = doing;
  making(doing, undefined, () => {
    const place = somePlace(replica.outline, random);
    const made = replica.edits.create({ ...place, name: random() < 0.8 ? "new" : "" });
    return made.kind === "created" ? [made.key] : [];
  });
};

const capture: Act = (doing) => {
  const { replica, random } = doing;
  making(doing, undefined, () => {
    const parent = oneOf(random, [...DAYS, INBOX, CALENDAR]);
    const made = replica.edits.create({ parent, position: "bottom", name: "captured" });
    return made.kind === "created" ? [made.key] : [];
  });
};

const paste: Act = (doing) => {
  const { replica, random } = doing;
  making(doing, undefined, () => {
    const entries: OutlineEntry[] = Array.from(
      { length: 2 + integerBelow(random, 12) },
      (_, at) => ({
        depth: at === 0 ? 0 : integerBelow(random, 2),
        name: `pasted <b>${at}</b>`,
        layout: oneOf(random, ["bullets", "todo", "h1"] as const),
        note: "with a note",
      }),
    );
    const made = replica.edits.insert(entries, somePlace(replica.outline, random));
    return made.kind === "created" ? made.keys : [];
  });
};

const duplicate: Act = (doing) => {
  const { replica, random } = doing;
  const key = someNode(replica.outline, random);
  if (key === undefined || [...replica.outline.keysInOrder(key)].length > 10) return;
  making(doing, undefined, () => {
    const made = replica.edits.duplicate([key]);
    // A mirror goes with its origin.
    const isNode = (each: NodeKey): boolean => replica.outline.heldBy(each) === each;
    return made.kind === "created" ? made.keys.filter(isNode) : [];
  });
};

const split: Act = (doing) => {
  const { replica, random } = doing;
  const key = someNode(replica.outline, random, (each) => !isGuarded(each));
  if (key === undefined) return;
  making(doing, undefined, () => {
    const at = integerBelow(random, (replica.edits.text(key, "name")?.length ?? 0) + 1);
    const made = replica.edits.split(key, at, somePlace(replica.outline, random));
    return made.kind === "created" ? [made.key] : [];
  });
};

const join: Act = (doing) => {
  const { replica, random } = doing;
  const key = someNode(replica.outline, random, (each) => !isGuarded(each));
  const into = someNode(replica.outline, random, (each) => !isGuarded(each));
  if (key === undefined || into === undefined || key === into) return;
  hiding(doing, () => void replica.edits.join(key, into));
};

const mirror: Act = ({ replica, random }) => {
  const key = someNode(replica.outline, random);
  if (key !== undefined) replica.edits.mirror(key, somePlace(replica.outline, random));
};

const move: Act = ({ replica, random }) => {
  const key = someNode(replica.outline, random);
  if (key !== undefined) replica.edits.move([key], somePlace(replica.outline, random));
};

const trash: Act = (doing) => {
  const { replica, random } = doing;
  const key = someNode(replica.outline, random);
  if (key === undefined) return;
  if ([...replica.outline.keysInOrder(key)].length > 8 && random() < 0.8) return;
  hiding(doing, () => void replica.edits.trash([key]));
};

const restore: Act = ({ replica, random }) => {
  const trashed = replica.outline.trashedKeys();
  if (trashed.length > 0) replica.edits.restore(oneOf(random, trashed));
};

const purge: Act = (doing) => {
  const { replica, random, claims } = doing;
  const trashed = replica.outline.trashedKeys();
  if (trashed.length === 0) return;
  const key = oneOf(random, trashed);
  claims.deleted(keysAtAndBelow(replica.outline, key));
  replica.edits.purge([key]);
};

const configure: Act = ({ replica, random }) => {
  const { edits, outline } = replica;
  const key = someNode(outline, random);
  if (key === undefined) return;
  switch (integerBelow(random, 5)) {
    case 0:
      edits.complete([key], random() < 0.6);
      return;
    case 1: {
      const layout = oneOf(random, LAYOUTS);
      // What looks like a tag is text there.
      if (layout !== "code-block" || !isGuarded(outline.heldBy(key))) edits.layout([key], layout);
      return;
    }
    case 2:
      edits.setShortcut(oneOf(random, ["work", "Home", "later"]), key);
      return;
    case 3:
      edits.removeShortcut(oneOf(random, ["work", "home", "later"]));
      return;
    default:
      outline.configure({ timezone: oneOf(random, TIMEZONES), weekStart: 1 });
  }
};

const undo: Act = (doing) => {
  const { device, replica, random, claims } = doing;
  const { history } = replica;
  if (!history.canUndo && !history.canRedo) return;
  claims.withdraw(device);
  // Step by step: what one brings into sight the next may hide.
  for (let steps = 1 + integerBelow(random, 3); steps > 0; steps--) {
    hiding(doing, () => void (random() < 0.7 ? history.undo() : history.redo()));
  }
};

/** Everything that a person can do, with how often it is chosen. */
const EVERYTHING: readonly (readonly [weight: number, act: Act])[] = [
  [30, write],
  [10, rewrite],
  [5, format],
  [12, create],
  [4, capture],
  [2, paste],
  [2, duplicate],
  [3, split],
  [3, join],
  [18, move],
  [7, trash],
  [3, restore],
  [1, purge],
  [8, configure],
];

const TOTAL = EVERYTHING.reduce((sum, [weight]) => sum + weight, 0);

/** Of what people do so much makes mirrors, where they use any. */
const MIRRORS = 0.06;

/** What people do in a world besides all the rest. */
interface Habits {
  readonly undoes: boolean;
  readonly mirrors: boolean;
}

/** Somebody does something at a device; nothing happens when it is not possible now. */
export function actAtDevice(
  device: Device,
  run: Run,
  claims: Claims,
  { undoes, mirrors }: Habits,
): void {
  const { replica } = run;
  if (replica === undefined) return;
  const { random } = device;
  const doing: Doing = { device, run, replica, random, claims };
  if (undoes && random() < 0.15) return undo(doing);
  if (mirrors && random() < MIRRORS) return mirror(doing);
  let left = random() * TOTAL;
  for (const [weight, act] of EVERYTHING) {
    left -= weight;
    if (left < 0) return act(doing);
  }
}
