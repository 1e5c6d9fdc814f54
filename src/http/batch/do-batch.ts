import type { NodeKey } from "../../core/node-key.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import { countOfDrafts } from "../../core/text/name.ts";
import { destinationOf, mirrorPlaceOf } from "../destination-of.ts";
import { EditPlan, inOperation } from "../edits/edit-plan.ts";
import type { Made, NewItem } from "../edits/edit-step.ts";
import { inItem, pushItems, type WaitingItem } from "../edits/waiting-items.ts";
import { given } from "../given.ts";
import { NO_SUCH_NODE, problem, type Problem } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { shaped } from "../shaped.ts";
import { baseProblem } from "../text-size.ts";
import {
  BATCH_DRAFT,
  BATCH_OPERATION,
  type BatchDraft,
  type BatchOperation,
  type Expectation,
} from "./batch-schemas.ts";

interface BatchOptions {
  /** Judges only. */
  readonly isDry: boolean;
  /** Most bytes of a name and of a note. */
  readonly textBytes: number;
}

/** An operation that was judged. */
interface Judged {
  readonly op: BatchOperation["op"];
  /** Of a mirror its origin. Undefined for a create, whose node has no key before it is done. */
  readonly key?: NodeKey | undefined;
}

/**
 * Does a batch of operations, all or none of them, with a rest after each that takes long.
 * @param operations as they came
 * @returns the JSON of the answer, or why nothing was changed
 */
export function* doBatch(
  view: ScopedOutline,
  links: LinkIndex,
  operations: readonly unknown[],
  { isDry, textBytes }: BatchOptions,
): Generator<void, string | Problem> {
  const batch = new Batch(view, textBytes);
  const judged: Judged[] = [];
  for (const [index, source] of operations.entries()) {
    const operation = shaped(BATCH_OPERATION, source);
    if (operation.kind === "problem") return refusedAt(index, operation);
    const result = yield* batch.judge(operation.value);
    if ("kind" in result) return refusedAt(index, result);
    judged.push(result);
    yield;
  }
  const made = isDry ? (batch.plan.takeRoom() ?? []) : yield* batch.plan.done(links);
  if ("kind" in made) return made;
  // The keys of nodes that a dry run does not make are those of nothing.
  const idOf = (key: NodeKey | undefined): string | null =>
    key === undefined || (isDry && !view.outline.has(key)) ? null : view.id(key);
  const results = judged.map((one, index) => resultOf(one, made[index], idOf));
  const handles = [...batch.handles].map(([name, key]) => [name, isDry ? null : view.id(key)]);
  return JSON.stringify({ results, handles: Object.fromEntries(handles) });
}

function refusedAt(operation: number, refusal: Problem): Problem {
  return { ...inOperation(operation, refusal), operation };
}

function resultOf(
  { op, key }: Judged,
  made: Made | undefined,
  idOf: (key: NodeKey | undefined) => string | null,
): object {
  const first = idOf(made?.tops[0]);
  if (op === "mirror") return { op, id: first, origin_id: idOf(key) };
  if (op !== "create") return { op, id: idOf(key) };
  return { op, id: first, ids: made?.keys.map((each) => idOf(each)) ?? [] };
}

/** Looks through the operations of a batch one after the other. */
class Batch {
  readonly plan: EditPlan;
  /** The nodes that operations so far have named. [Q13] */
  readonly handles = new Map<string, NodeKey>();
  /** Nodes whose texts or places differ from what they are in the outline. [Q13] */
  readonly #changed = new Set<NodeKey>();

  constructor(view: ScopedOutline, textBytes: number) {
    this.plan = new EditPlan(view, textBytes);
  }

  /** @returns what it is about, or why it can't be done behind those before */
  *judge(operation: BatchOperation): Generator<void, Judged | Problem> {
    const { op } = operation;
    if (op === "create") return (yield* this.#create(operation)) ?? { op };
    const key = this.#node(operation.id);
    if (key === undefined) return NO_SUCH_NODE;
    if (operation.op === "mirror") {
      return this.#mirror(key, operation) ?? { op, key: this.plan.heldBy(key) };
    }
    const wrong = this.#differs(key, operation.expect) ?? this.#change(key, operation);
    this.#changed.add(this.plan.heldBy(key) ?? key).add(key);
    return wrong ?? { op, key };
  }

  #mirror(
    of: NodeKey,
    { parent_id: parent, position, as: handle }: BatchOperation & { readonly op: "mirror" },
  ): Problem | undefined {
    const heldBy = (key: NodeKey): NodeKey | undefined => this.plan.heldBy(key);
    const to = mirrorPlaceOf(this.#places, heldBy, parent, position);
    if ("kind" in to) return to;
    const key = this.plan.view.outline.freeKey();
    const wrong = this.#call(handle, key) ?? this.plan.mirror(of, to, key);
    this.#changed.add(key);
    return wrong;
  }

  /** @returns why an operation can't call its new node so */
  #call(handle: string | null | undefined, key: NodeKey): Problem | undefined {
    if (typeof handle !== "string") return undefined;
    if (this.handles.has(handle)) {
      return problem("invalid_request", `as: ${handle} is another node already.`);
    }
    this.handles.set(handle, key);
    return undefined;
  }

  #change(
    key: NodeKey,
    operation: Exclude<BatchOperation, { readonly op: "create" | "mirror" }>,
  ): Problem | undefined {
    switch (operation.op) {
      case "update": {
        const { name, note, layoutMode: layout, completed } = operation;
        const { base_name: base, base_note: noteBase } = operation;
        const wrong = baseProblem(operation);
        if (wrong !== undefined) return wrong;
        return this.plan.update(key, {
          ...given({ name, layout, completed, base }),
          ...(note !== undefined && { note, noteBase }),
        });
      }
      case "complete":
      case "uncomplete":
        return this.plan.update(key, { completed: operation.op === "complete" });
      case "delete":
        return this.plan.remove(key);
      case "remove_mirror":
        return this.plan.removeMirror(key);
      case "move": {
        const to = destinationOf(this.#places, operation.parent_id, operation.position);
        return "kind" in to ? to : this.plan.move(key, to);
      }
    }
  }

  *#create(
    operation: BatchOperation & { readonly op: "create" },
  ): Generator<void, Problem | undefined> {
    const to = destinationOf(this.#places, operation.parent_id, operation.position);
    if ("kind" in to) return to;
    const items: NewItem[] = [];
    const waiting: WaitingItem[] = [];
    /** That of the operation itself is none. */
    let waited: WaitingItem | undefined;
    let draft: BatchDraft = operation;
    for (;;) {
      const depth = waited?.depth ?? 0;
      const { name, note, layoutMode, children, as: handle } = draft;
      const layout = layoutMode ?? undefined;
      if (children && children.length > 0 && countOfDrafts(name, layout) > 1) {
        const wrong = problem("invalid_request", "children: the name makes children of its own.");
        return inItem(waited, wrong);
      }
      const key = this.plan.view.outline.freeKey();
      const completed = draft.completed ?? undefined;
      const item = { depth, key, name, note, layout, completed, isInParts: true };
      const wrong = this.#call(handle, key) ?? this.plan.count(item);
      if (wrong !== undefined) return inItem(waited, wrong);
      items.push(item);
      pushItems(waiting, children ?? [], { list: "children", depth: depth + 1, within: waited });
      yield;
      waited = waiting.pop();
      if (waited === undefined) break;
      const read = shaped(BATCH_DRAFT, waited.source);
      if (read.kind === "problem") return inItem(waited, read);
      draft = read.value;
    }
    for (const { key } of items) if (key !== undefined) this.#changed.add(key);
    return this.plan.insert(to, items);
  }

  /** Why a node is not what the caller takes it for. */
  #differs(key: NodeKey, expected: Expectation): Problem | undefined {
    if (expected === null || expected === undefined) return undefined;
    if (this.#changed.has(key) || this.#changed.has(this.plan.heldBy(key) ?? key)) {
      return problem("invalid_request", "expect: an operation before has changed the node.");
    }
    const { modifiedAt, parent_id: parent } = expected;
    const { view } = this.plan;
    const place = this.plan.parentOf(key) ?? view.top;
    const isSame =
      (modifiedAt === undefined || modifiedAt === view.shape(key)?.modifiedAt) &&
      (parent === undefined || this.#places.destination(parent) === place) &&
      this.#says(key, expected);
    return isSame ? undefined : problem("conflict", "expect: the node is another by now.");
  }

  #says(key: NodeKey, { name, note }: NonNullable<Expectation>): boolean {
    if (name === undefined && note === undefined) return true;
    const node = this.plan.view.seenInPieces(key);
    return (
      node !== undefined &&
      (name === undefined || isMadeOf(name, node.name)) &&
      (note === undefined || isMadeOf(note ?? "", node.note ?? []))
    );
  }

  #node(reference: string): NodeKey | undefined {
    if (!reference.startsWith("$")) return this.plan.node(reference);
    const key = this.handles.get(reference);
    return key !== undefined && this.plan.has(key) ? key : undefined;
  }

  #heldBy(reference: string): NodeKey | undefined {
    const key = this.#node(reference);
    return key && this.plan.heldBy(key);
  }

  readonly #places = {
    node: (reference: string): NodeKey | undefined => this.#node(reference),
    destination: (reference: string | null | undefined): NodeKey | undefined =>
      reference?.startsWith("$") === true
        ? this.#heldBy(reference)
        : this.plan.view.destination(reference),
    parentOf: (key: NodeKey): NodeKey | undefined => this.plan.parentOf(key),
  };
}

/** Whether a text consists of these pieces. Takes no more of them than are alike. */
function isMadeOf(text: string, pieces: Iterable<string>): boolean {
  let length = 0;
  for (const piece of pieces) {
    if (!text.startsWith(piece, length)) return false;
    length += piece.length;
  }
  return length === text.length;
}
