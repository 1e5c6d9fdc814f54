import { DONE, NODE_REFERENCE } from "../api-schemas.ts";
import { staleProblem } from "../entity-tag.ts";
import { defineOperation, DONE_ANSWER, type Operation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";

export const completeNode = completion({
  verb: "complete",
  completed: true,
  summary: "Complete a node",
  description: "Sets `completedAt`. A node that is completed already keeps its time.",
});

export const uncompleteNode = completion({
  verb: "uncomplete",
  completed: false,
  summary: "Uncomplete a node",
  description: "Sets `completedAt` to `null`.",
});

function completion(source: {
  readonly verb: "complete" | "uncomplete";
  readonly completed: boolean;
  readonly summary: string;
  readonly description: string;
}): Operation {
  const { verb, completed, summary, description } = source;
  return defineOperation({
    id: `${verb}Node`,
    method: "POST",
    path: `/api/v1/nodes/:id/${verb}`,
    tag: "Nodes",
    summary,
    description,
    needs: { write: true, wholeOutline: false },
    parameter: { name: "id", schema: NODE_REFERENCE },
    comparesNode: true,
    answer: DONE,
    problems: ["not_found"],
    async run({ caller, id, ifMatch }, service) {
      return writing(service, caller, (view) => {
        const key = view.node(id);
        if (key === undefined) return NO_SUCH_NODE;
        const stale = staleProblem(view, key, ifMatch);
        if (stale !== undefined) return stale;
        if (view.heldBy(key) === undefined) return NO_SUCH_NODE;
        const result = view.outline.setCompleted(key, completed);
        return result.kind === "ok" ? DONE_ANSWER : problemOfRefusal(result);
      });
    },
  });
}
