import type { NodeKey } from "../core/node-key.ts";
import type { Caller } from "./once.ts";
import { NO_SUCH_NODE, type Problem } from "./problem.ts";
import { reading, type Service } from "./service.ts";

/** The node that something is to be limited to: of a mirror its origin. Undefined where none is named. */
export async function rootOf(
  service: Service,
  caller: Caller,
  reference: string | null | undefined,
): Promise<NodeKey | undefined | Problem> {
  if (reference === null || reference === undefined) return undefined;
  return reading(service, caller, (view) => {
    const node = view.node(reference);
    return (node && view.heldBy(node)) ?? NO_SUCH_NODE;
  });
}
