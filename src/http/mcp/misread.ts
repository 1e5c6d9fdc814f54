import { BATCH_DRAFT, BATCH_OPERATION } from "../batch/batch-schemas.ts";
import { problem, type Problem } from "../problem.ts";

/** By what `op` says. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map(
  BATCH_OPERATION.options.flatMap(({ shape }) => {
    const ops = "options" in shape.op ? shape.op.options : [...shape.op.values];
    return ops.map((op) => [op, Object.keys(shape)] as const);
  }),
);
const FIELDS_OF_CHILD = Object.keys(BATCH_DRAFT.shape);

/** An item of a list right behind another line, which makes one line of both (X27). */
const ITEM_BEHIND_LINE = /\S[ \t]*\r?\n[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]/;
const FENCE = "```";

/** Why a text for a new node would not become what it looks like; undefined when it would. */
export function listProblem(text: string): string | undefined {
  if (!ITEM_BEHIND_LINE.test(text) || text.includes(FENCE)) return undefined;
  return "a list without blank lines between its items would become one line; put these there, or make its items `children` with outline_edit";
}

/**
 * Refuses operations that would be done otherwise than an assistant means them, and be told as done:
 * with a field that they do not have, as `text` for `name`, or a list for a name. What else is wrong with
 * them is found later.
 */
export function misreadIn(operations: readonly unknown[]): Problem | undefined {
  for (const [index, operation] of operations.entries()) {
    const op = valueOf(operation, "op");
    const fields = FIELDS.get(op);
    if (fields === undefined) continue;
    const sentence =
      misreadNode(operation, `${String(op)} has`, fields) ??
      misreadBelow(valueOf(operation, "children"));
    if (sentence !== undefined) {
      return problem("invalid_request", `operations[${index}]: ${sentence}.`);
    }
  }
  return undefined;
}

function misreadBelow(children: unknown): string | undefined {
  const pending = [children];
  while (pending.length > 0) {
    const list = pending.pop();
    if (!Array.isArray(list)) continue;
    for (const child of list as readonly unknown[]) {
      const sentence = misreadNode(child, "children have", FIELDS_OF_CHILD);
      if (sentence !== undefined) return sentence;
      pending.push(valueOf(child, "children"));
    }
  }
  return undefined;
}

function misreadNode(value: unknown, who: string, fields: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const strange = Object.keys(value).find((name) => !fields.includes(name));
  if (strange === undefined) return fields.includes("children") ? listNamed(value) : undefined;
  return `${who} no ${JSON.stringify(strange.slice(0, 40))} but ${fields.join(", ")}`;
}

function listNamed(node: object): string | undefined {
  const name = valueOf(node, "name");
  if (typeof name !== "string" || valueOf(node, "layoutMode") === "code-block") return undefined;
  const why = listProblem(name);
  return why && `name: ${why}`;
}

function valueOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
