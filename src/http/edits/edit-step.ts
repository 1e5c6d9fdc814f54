import { DEFAULT_LAYOUT, type Layout } from "../../core/node/layout.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodePatch } from "../../core/node/node-patch.ts";
import type { Destination } from "../../core/tree/destinations.ts";
import type { Outline } from "../../core/outline.ts";
import { Planter } from "../../core/calendar/planter.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import { htmlInSteps } from "../../core/text/html.ts";
import { draftsInSteps, type NameDraft, updatedNameInSteps } from "../../core/text/name.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { updateWithLinks } from "./update-with-links.ts";

/** A new node as a program gives it. */
export interface NewItem {
  /** 0 for the outermost; at most one more than that of the one before. */
  readonly depth: number;
  /** One that no node has or had; without it there will be one. */
  readonly key?: NodeKey | undefined;
  readonly name: string;
  /** Whether further parts of the name become children, as in a create (N15); else it is one node. */
  readonly isInParts: boolean;
  readonly note?: string | null | undefined;
  readonly layout?: Layout | undefined;
  readonly completed?: boolean | undefined;
}

/** One of several operations that are done together. */
export type EditStep =
  | { readonly op: "insert"; readonly to: Destination; readonly items: readonly NewItem[] }
  | { readonly op: "update"; readonly key: NodeKey; readonly patch: NodePatch }
  | { readonly op: "delete"; readonly key: NodeKey }
  | { readonly op: "move"; readonly key: NodeKey; readonly to: Destination }
  | {
      readonly op: "mirror";
      readonly of: NodeKey;
      readonly to: Destination;
      /** A free one, for the mirror. */
      readonly key: NodeKey;
    };

/** The new nodes of a step, each behind its parent, and those of them that are in no other. */
export interface Made {
  readonly keys: readonly NodeKey[];
  readonly tops: readonly NodeKey[];
}

const NOTHING_MADE: Made = { keys: [], tops: [] };

/** Does a step, with a rest after each part that takes long. */
export function* doStep(
  view: ScopedOutline,
  links: LinkIndex,
  step: EditStep,
): Generator<void, Made | Refusal> {
  if (step.op === "insert") return yield* plant(view.outline, step.to, step.items);
  if (step.op === "mirror") {
    const made = view.outline.mirror(step.of, step.to, step.key);
    return made.kind === "created" ? { keys: [made.key], tops: [made.key] } : made;
  }
  const done = yield* change(view, links, step);
  return done.kind === "ok" ? NOTHING_MADE : done;
}

function* change(
  view: ScopedOutline,
  links: LinkIndex,
  step: Exclude<EditStep, { readonly op: "insert" | "mirror" }>,
): Generator<void, Done | Refusal> {
  switch (step.op) {
    case "update":
      return yield* updateWithLinks(view, links, step.key, step.patch);
    case "delete":
      return view.outline.remove(step.key);
    case "move":
      return view.outline.move(step.key, step.to);
  }
}

/** Makes new nodes at a place, with a rest after each part that takes long. */
export function* plant(
  outline: Outline,
  to: Destination,
  items: readonly NewItem[],
): Generator<void, Made> {
  const planter = new Planter(outline, to);
  const nowSec = Math.floor(outline.now() / 1000);
  for (const item of items) {
    const note = yield* htmlInSteps(item.note ?? "");
    let isFirst = true;
    for (const draft of draftsOf(item)) {
      yield;
      if (draft === undefined) continue;
      const own = isFirst ? item : undefined;
      const isCompleted = own?.completed ?? draft.completed ?? false;
      planter.add({
        depth: isFirst ? item.depth : item.depth + 1,
        key: own?.key,
        name: draft.text,
        layout: own?.layout ?? draft.layout,
        completedAt: isCompleted ? nowSec : null,
        ...(isFirst && { note }),
      });
      isFirst = false;
    }
  }
  return planter;
}

/** What a name makes, the node itself first, in steps; undefined where one is over. */
function* draftsOf({ name, layout, isInParts }: NewItem): Generator<NameDraft | undefined> {
  if (isInParts) {
    yield* draftsInSteps(name, layout);
    return;
  }
  const work = updatedNameInSteps(name, DEFAULT_LAYOUT, layout);
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) {
      yield step.value;
      return;
    }
    yield undefined;
  }
}
