import { BATCH_DRAFT, BATCH_OPERATION } from "../batch/batch-schemas.ts";
import { problem, type Problem } from "../problem.ts";

const OPERATIONS = BATCH_OPERATION.options.map(({ shape }) => shape);
const CHILD = Object.keys(BATCH_DRAFT.shape);

/**
 * Refuses operations with a field that they do not have, as `text` for `name`: it would be passed over,
 * and the assistant would be told that all of it is done. What else is wrong with them is found later.
 */
export function strangeFieldIn(operations: readonly unknown[]): Problem | undefined {
  const known = new Map<unknown, readonly string[] | undefined>();
  for (const [index, operation] of operations.entries()) {
    const op = valueOf(operation, "op");
    if (!known.has(op)) known.set(op, fieldsOf(op));
    const fields = known.get(op);
    if (fields === undefined) continue;
    const sentence =
      strangeIn(operation, `${String(op)} has`, fields) ??
      strangeBelow(valueOf(operation, "children"));
    if (sentence !== undefined) {
      return problem("invalid_request", `operations[${index}]: ${sentence}.`);
    }
  }
  return undefined;
}

function fieldsOf(op: unknown): readonly string[] | undefined {
  const shape = OPERATIONS.find((each) => each.op.safeParse(op).success);
  return shape && Object.keys(shape);
}

function strangeBelow(children: unknown): string | undefined {
  const pending = [children];
  while (pending.length > 0) {
    const list = pending.pop();
    if (!Array.isArray(list)) continue;
    for (const child of list as readonly unknown[]) {
      const sentence = strangeIn(child, "children have", CHILD);
      if (sentence !== undefined) return sentence;
      pending.push(valueOf(child, "children"));
    }
  }
  return undefined;
}

function strangeIn(value: unknown, who: string, fields: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const strange = Object.keys(value).find((name) => !fields.includes(name));
  if (strange === undefined) return undefined;
  return `${who} no ${JSON.stringify(strange.slice(0, 40))} but ${fields.join(", ")}`;
}

function valueOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
