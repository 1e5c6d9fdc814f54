import type { NodeKey } from "../../core/node-key.ts";
import type { Done, Refusal } from "../../core/refusal.ts";
import { staleProblem } from "../answer/entity-tag.ts";
import type { Caller } from "../once.ts";
import { type Answer, DONE_ANSWER } from "../operation.ts";
import { NO_SUCH_NODE, type Problem } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { type Service, writing } from "../service.ts";

interface NodeCall {
  readonly caller: Caller;
  /** The reference in the path. */
  readonly id: string;
  readonly ifMatch: string | undefined;
}

/** Changes a node that is there, and is what the header `If-Match` names. */
export async function changingNode(
  service: Service,
  { caller, id, ifMatch }: NodeCall,
  change: (view: ScopedOutline, key: NodeKey) => Done | Refusal | Problem,
): Promise<Answer> {
  return writing(service, caller, (view) => {
    const key = view.node(id);
    if (key === undefined) return NO_SUCH_NODE;
    const result = staleProblem(view, key, ifMatch) ?? change(view, key);
    if (result.kind === "ok") return DONE_ANSWER;
    return result.kind === "problem" ? result : problemOfRefusal(result);
  });
}
