import type { ZodType } from "zod";
import { problem, type Problem } from "./problem.ts";

export type Shaped<T> = { readonly kind: "value"; readonly value: T } | Problem;

/** Reads a value by a schema; `invalid_request` says where it is of another shape, and how. */
export function shaped<T>(schema: ZodType<T>, value: unknown): Shaped<T> {
  const result = schema.safeParse(value);
  if (result.success) return { kind: "value", value: result.data };
  const [issue] = result.error.issues;
  const where = issue?.path.join(".") ?? "";
  const what = issue?.message ?? "not valid";
  return problem("invalid_request", where === "" ? `${what}.` : `${where}: ${what}.`);
}
