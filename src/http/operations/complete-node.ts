import { DONE, NODE_REFERENCE } from "../api-schemas.ts";
import { defineOperation, type Operation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { changingNode } from "./changing-node.ts";

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
    run: (call, service) =>
      changingNode(service, call, (view, key) =>
        view.heldBy(key) === undefined ? NO_SUCH_NODE : view.outline.setCompleted(key, completed),
      ),
  });
}
