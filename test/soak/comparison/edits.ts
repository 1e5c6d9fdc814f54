import { ROOT, type NodeKey, type Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import type { View } from "./view.ts";

/** What somebody does next. Names are numbered by their author, who alone writes them. */
export type Edit =
  | { readonly kind: "name"; readonly key: NodeKey; readonly count: number }
  | { readonly kind: "note"; readonly key: NodeKey; readonly note: string }
  | { readonly kind: "complete"; readonly key: NodeKey; readonly completed: boolean }
  | { readonly kind: "layout"; readonly key: NodeKey; readonly layout: "h1" | "todo" | "bullets" }
  | { readonly kind: "create"; readonly parent: NodeKey }
  | {
      readonly kind: "move";
      readonly key: NodeKey;
      readonly parent: NodeKey;
      readonly position: "top" | "bottom";
    }
  | { readonly kind: "remove"; readonly key: NodeKey };

/** Few enough that each is written often, and many enough that most are at rest. */
const FEWEST_NODES = 120;
const MOST_NODES = 160;

export function nameOf(author: string, count: number): string {
  return `${author} **${count}**`;
}

/** The author and the number in a name as it is answered. */
export function countIn(name: string): { readonly author: string; readonly count: number } {
  const [, author = "", digits = ""] = /^(\S+) <b>(\d+)<\/b>$/.exec(name) ?? [];
  return { author, count: digits === "" ? Number.NaN : Number(digits) };
}

export interface EditOptions {
  readonly random: Random;
  readonly view: View;
  /** The author's nodes with their numbers. */
  readonly own: ReadonlyMap<NodeKey, number>;
  /** Whether nodes may come, go and move. */
  readonly isStructural: boolean;
  /** Not to be touched. */
  readonly fence: NodeKey;
}

export function nextEdit({ random, view, own, isStructural, fence }: EditOptions): Edit {
  const all = [...view.nodes.keys()].filter((key) => key !== fence);
  const mine = [...own.keys()].filter((key) => view.nodes.has(key));
  if (all.length < FEWEST_NODES / 2) return { kind: "create", parent: ROOT };
  if (isStructural) {
    if (all.length < FEWEST_NODES || mine.length === 0) {
      return { kind: "create", parent: oneOf(random, [ROOT, ...all.slice(0, 5)]) };
    }
    if (all.length > MOST_NODES) return { kind: "remove", key: oneOf(random, all) };
    const parent = oneOf(random, [ROOT, ...all]);
    const position = oneOf(random, ["top", "bottom"] as const);
    return { kind: "move", key: oneOf(random, all), parent, position };
  }
  const key = oneOf(random, all);
  const roll = random();
  if (roll < 0.6 && mine.length > 0) {
    const named = oneOf(random, mine);
    return { kind: "name", key: named, count: (own.get(named) ?? 0) + 1 };
  }
  if (roll < 0.8) return { kind: "note", key, note: `a note ${integerBelow(random, 1_000_000)}` };
  if (roll < 0.9) return { kind: "complete", key, completed: random() < 0.5 };
  return { kind: "layout", key, layout: oneOf(random, ["h1", "todo", "bullets"] as const) };
}
