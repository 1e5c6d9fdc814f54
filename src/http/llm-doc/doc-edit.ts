import {
  ADDED_CHAIN,
  addedNodes,
  addedTexts,
  type Addition,
  sumOf,
  UPKEEP,
} from "../../core/addition.ts";
import { DEFAULT_LAYOUT } from "../../core/layout.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodePatch } from "../../core/node-patch.ts";
import type { Destination } from "../../core/outline.ts";
import { Planter } from "../../core/planter.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import { Rehearsal } from "../../core/rehearsal.ts";
import { htmlInSteps } from "../../core/text/html.ts";
import { updatedNameInSteps } from "../../core/text/name.ts";
import { excessOfNote, excessOfUpdatedName } from "../../core/text/text-limits.ts";
import { given } from "../given.ts";
import { NO_SUCH_NODE, NO_SUCH_PARENT, problem, type Problem, ProblemError } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { shaped } from "../shaped.ts";
import { excessProblem, textSizeProblem } from "../text-size.ts";
import {
  DOC_ITEM,
  DOC_OPERATION,
  type DocItem,
  type DocOperation,
  MOST_ITEMS,
} from "./doc-schemas.ts";

/** Reserved nodes that one edit makes: each month takes as long as hundreds of other operations. */
const MOST_MADE = 40;

type Content = Omit<DocItem, "c"> & { readonly depth: number };

/** What one operation comes to, all of it found out before the first one is done. */
type Step =
  | { readonly op: "insert"; readonly to: Destination; readonly items: readonly Content[] }
  | { readonly op: "update"; readonly key: NodeKey; readonly patch: NodePatch }
  | { readonly op: "delete"; readonly key: NodeKey }
  | { readonly op: "move"; readonly key: NodeKey; readonly to: Destination };

/**
 * Does several operations, all or none of them, with a rest after each that takes long.
 * @param operations as they came
 * @param textBytes most bytes of a name and of a note
 * @returns the JSON of the answer, or why nothing was changed
 */
export function* editDoc(
  view: ScopedOutline,
  root: string | null | undefined,
  operations: readonly unknown[],
  textBytes: number,
): Generator<void, string | Problem> {
  if (view.destination(root) === undefined) return NO_SUCH_NODE;
  const plan = new DocPlan(view, textBytes);
  for (const [index, operation] of operations.entries()) {
    const wrong = yield* plan.add(operation);
    if (wrong !== undefined) return inOperation(index, wrong);
    yield;
  }
  const full = view.outline.takeRoom(plan.addition, ...plan.made);
  if (full !== undefined) return problemOfRefusal(full);
  const results = yield* view.outline.inTakenRoom(done(view, plan.steps));
  return `{"status":"ok","results":[${results.join(",")}]}`;
}

/** Looks through operations one after the other, and changes nothing. */
class DocPlan {
  /** One for each operation. [Q13] */
  readonly steps: Step[] = [];
  readonly #view: ScopedOutline;
  readonly #textBytes: number;
  readonly #rehearsal: Rehearsal;
  #addition: Addition = { nodes: 0, bytes: 0, isUpkeep: true };
  #items = 0;

  constructor(view: ScopedOutline, textBytes: number) {
    this.#view = view;
    this.#textBytes = textBytes;
    this.#rehearsal = new Rehearsal(view.outline);
  }

  /** What all steps add at most. */
  get addition(): Addition {
    return [...this.made].reduce((sum) => sumOf(sum, ADDED_CHAIN), this.#addition);
  }

  get made(): ReadonlySet<NodeKey> {
    return this.#rehearsal.made;
  }

  /** @returns why the operation can't be done behind those before */
  *add(source: unknown): Generator<void, Problem | undefined> {
    const read = shaped(DOC_OPERATION, source);
    if (read.kind === "problem") return read;
    const step = yield* this.#stepOf(read.value);
    if ("kind" in step) return step;
    if (this.made.size > MOST_MADE) {
      return problem(
        "invalid_request",
        `One edit makes at most ${MOST_MADE} days, months and years.`,
      );
    }
    this.steps.push(step);
    return undefined;
  }

  *#stepOf(operation: DocOperation): Generator<void, Step | Problem> {
    switch (operation.op) {
      case "insert":
        return yield* this.#insert(operation);
      case "update":
        return yield* this.#update(operation);
      case "delete":
        return this.#delete(operation);
      case "move":
        return this.#move(operation);
    }
  }

  *#insert(operation: DocOperation & { op: "insert" }): Generator<void, Step | Problem> {
    const to = this.#destinationOf(operation);
    if ("kind" in to) return to;
    const items: Content[] = [];
    const waiting = operation.items.map((source) => ({ source, depth: 0 })).toReversed();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { depth } = next;
      const read = shaped(DOC_ITEM, next.source);
      if (read.kind === "problem") return read;
      const { c: below, ...content } = read.value;
      const { n: name, d: note, l: layout } = content;
      const wrong = this.#textProblem(name, note, layout === "code-block");
      if (wrong !== undefined) return wrong;
      items.push({ ...content, depth });
      if (++this.#items > MOST_ITEMS) {
        return problem("too_large", `One edit makes at most ${MOST_ITEMS} nodes.`);
      }
      this.#adds(addedNodes(1, [name, note ?? ""]));
      for (const source of below?.toReversed() ?? []) waiting.push({ source, depth: depth + 1 });
      yield;
    }
    return { op: "insert", to, items };
  }

  #destinationOf({
    after,
    under,
    position,
  }: DocOperation & { op: "insert" }): Destination | Problem {
    if (typeof after === "string") {
      const sibling = this.#node(after);
      if (sibling === undefined || sibling === this.#view.top) return NO_SUCH_NODE;
      const parent = this.#rehearsal.parentOf(sibling);
      return parent === undefined ? NO_SUCH_NODE : { parent, position: { after: sibling } };
    }
    if (typeof under !== "string") return problem("invalid_request", "expected under or after.");
    const parent = this.#view.destination(under);
    const refused =
      parent === undefined ? NO_SUCH_PARENT : refusalOf(this.#rehearsal.reach(parent));
    if (parent === undefined || refused !== undefined) return refused ?? NO_SUCH_PARENT;
    return { parent, position: position ?? "top" };
  }

  *#update({ ref, to }: DocOperation & { op: "update" }): Generator<void, Step | Problem> {
    const key = this.#node(ref);
    if (key === undefined) return NO_SUCH_NODE;
    const { n, d, l, x } = to;
    const isCode = (l ?? this.#view.outline.node(key)?.layout) === "code-block";
    const wrong = this.#textProblem(n ?? "", d, isCode);
    if (wrong !== undefined) return wrong;
    yield;
    const texts = [n ?? "", d ?? ""];
    this.#adds(texts.every((text) => text === "") ? UPKEEP : addedTexts(texts));
    const patch = {
      ...given({ name: n, layout: l, completed: x }),
      ...(d !== undefined && { note: d }),
    };
    return { op: "update", key, patch };
  }

  #delete({ ref }: DocOperation & { op: "delete" }): Step | Problem {
    const key = this.#node(ref);
    if (key === undefined) return NO_SUCH_NODE;
    return refusalOf(this.#rehearsal.remove(key)) ?? { op: "delete", key };
  }

  #move({ ref, under, position }: DocOperation & { op: "move" }): Step | Problem {
    const key = this.#node(ref);
    if (key === undefined) return NO_SUCH_NODE;
    const parent = this.#view.destination(under);
    if (parent === undefined) return NO_SUCH_PARENT;
    this.#adds(UPKEEP);
    const to = { parent, position: position ?? "top" } as const;
    return refusalOf(this.#rehearsal.move(key, parent)) ?? { op: "move", key, to };
  }

  /** A node that is there behind the operations so far. */
  #node(reference: string): NodeKey | undefined {
    const key = this.#view.node(reference) ?? this.#view.destination(reference);
    const isNode =
      key !== undefined && (key !== this.#view.top || this.#view.node(reference) === key);
    return isNode && this.#rehearsal.has(key) ? key : undefined;
  }

  #textProblem(
    name: string,
    note: string | null | undefined,
    isCode: boolean,
  ): Problem | undefined {
    return (
      textSizeProblem({ name, note }, this.#textBytes) ??
      excessProblem("name", excessOfUpdatedName(name, isCode)) ??
      excessProblem("note", excessOfNote(note ?? ""))
    );
  }

  #adds(addition: Addition): void {
    this.#addition = sumOf(this.#addition, addition);
  }
}

/** Does the steps, and answers the JSON of what came of each. */
function* done(view: ScopedOutline, steps: readonly Step[]): Generator<void, readonly string[]> {
  const results: string[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.op === "insert") {
      const tops = yield* planted(view, step);
      results.push(`{"op":"insert","ids":${JSON.stringify(tops)}}`);
    } else {
      const refused = refusalOf(yield* doneOne(view, step));
      // What the plan has foreseen is not refused. If it is all the same, all of it is taken back.
      if (refused !== undefined) throw new ProblemError(inOperation(index, refused));
      results.push(`{"op":"${step.op}"}`);
    }
    yield;
  }
  return results;
}

function* doneOne(
  { outline }: ScopedOutline,
  step: Exclude<Step, { readonly op: "insert" }>,
): Generator<void, Done | Refusal> {
  switch (step.op) {
    case "update":
      return yield* outline.updateInSteps(step.key, step.patch);
    case "delete":
      return outline.remove(step.key);
    case "move":
      return outline.move(step.key, step.to);
  }
}

/** @returns the outermost new nodes */
function* planted(
  { outline }: ScopedOutline,
  { to, items }: Extract<Step, { readonly op: "insert" }>,
): Generator<void, readonly NodeKey[]> {
  const planter = new Planter(outline, to);
  for (const { n, d, l, x, depth } of items) {
    const draft = yield* updatedNameInSteps(n, DEFAULT_LAYOUT, l ?? undefined);
    const note = yield* htmlInSteps(d ?? "");
    const isCompleted = x ?? draft.completed ?? false;
    planter.add({
      depth,
      name: draft.text,
      note,
      layout: l ?? draft.layout,
      completedAt: isCompleted ? Math.floor(outline.now() / 1000) : null,
    });
    yield;
  }
  return planter.tops;
}

function refusalOf(result: Done | Refusal): Problem | undefined {
  return result.kind === "ok" ? undefined : problemOfRefusal(result);
}

function inOperation(index: number, { code, message }: Problem): Problem {
  return problem(code, `operations[${index}]: ${message}`);
}
