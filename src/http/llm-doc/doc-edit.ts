import type { Destination } from "../../core/tree/destinations.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import { EditPlan, inOperation } from "../edits/edit-plan.ts";
import type { NewItem } from "../edits/edit-step.ts";
import { inItem, pushItems, type WaitingItem } from "../edits/waiting-items.ts";
import { given } from "../given.ts";
import { NO_SUCH_NODE, NO_SUCH_PARENT, problem, type Problem } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { shaped } from "../shaped.ts";
import { DOC_ITEM, DOC_OPERATION, type DocOperation } from "./doc-schemas.ts";

/**
 * Does several operations, all or none of them, with a rest after each that takes long.
 * @param operations as they came
 * @param textBytes most bytes of a name and of a note
 * @returns the JSON of the answer, or why nothing was changed
 */
export function* editDoc(
  view: ScopedOutline,
  links: LinkIndex,
  root: string | null | undefined,
  operations: readonly unknown[],
  textBytes: number,
): Generator<void, string | Problem> {
  if (view.destination(root) === undefined) return NO_SUCH_NODE;
  const plan = new EditPlan(view, textBytes);
  const ops: DocOperation["op"][] = [];
  for (const [index, source] of operations.entries()) {
    const operation = shaped(DOC_OPERATION, source);
    if (operation.kind === "problem") return inOperation(index, operation);
    const wrong = yield* planned(plan, operation.value);
    if (wrong !== undefined) return inOperation(index, wrong);
    ops.push(operation.value.op);
    yield;
  }
  const done = yield* plan.done(links);
  if ("kind" in done) return done;
  const results = ops.map((op, index) => {
    return op === "insert" ? { op, ids: done[index]?.tops } : { op };
  });
  return JSON.stringify({ status: "ok", results });
}

function* planned(plan: EditPlan, operation: DocOperation): Generator<void, Problem | undefined> {
  if (operation.op === "insert") return yield* insert(plan, operation);
  const key = plan.node(operation.ref);
  if (key === undefined) return NO_SUCH_NODE;
  switch (operation.op) {
    case "update": {
      const { n: name, d: note, l: layout, x: completed } = operation.to;
      return plan.update(key, {
        ...given({ name, layout, completed }),
        ...(note !== undefined && { note }),
      });
    }
    case "delete":
      return plan.remove(key);
    case "move": {
      const parent = plan.view.destination(operation.under);
      if (parent === undefined) return NO_SUCH_PARENT;
      return plan.move(key, { parent, position: operation.position ?? "top" });
    }
  }
}

type Insert = DocOperation & { readonly op: "insert" };

function* insert(plan: EditPlan, operation: Insert): Generator<void, Problem | undefined> {
  const to = destinationOf(plan, operation);
  if ("kind" in to) return to;
  const items: NewItem[] = [];
  const waiting: WaitingItem[] = [];
  pushItems(waiting, operation.items, { list: "items", depth: 0, within: undefined });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { source, depth } = next;
    const read = shaped(DOC_ITEM, source);
    if (read.kind === "problem") return inItem(next, read);
    const { n: name, d: note, l: layout, x, c: below } = read.value;
    const completed = x ?? undefined;
    const item = { depth, name, note, layout: layout ?? undefined, completed, isInParts: false };
    const wrong = plan.count(item);
    if (wrong !== undefined) return inItem(next, wrong);
    items.push(item);
    pushItems(waiting, below ?? [], { list: "c", depth: depth + 1, within: next });
    yield;
  }
  return plan.insert(to, items);
}

function destinationOf(plan: EditPlan, { after, under, position }: Insert): Destination | Problem {
  if (typeof after === "string") {
    const sibling = plan.node(after);
    const parent = sibling && plan.parentOf(sibling);
    if (sibling === undefined || parent === undefined) return NO_SUCH_NODE;
    return { parent, position: { after: sibling } };
  }
  if (typeof under !== "string") return problem("invalid_request", "expected under or after.");
  const parent = plan.view.destination(under);
  return parent === undefined ? NO_SUCH_PARENT : { parent, position: position ?? "top" };
}
