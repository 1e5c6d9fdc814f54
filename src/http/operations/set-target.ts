import { z } from "zod";
import { ROOT } from "../../core/node-key.ts";
import { shortcutProblem } from "../../core/reference.ts";
import { DONE, named, NODE_REFERENCE } from "../api-schemas.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { NO_SUCH_NODE, problem } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";

const BODY = named(
  "SetTarget",
  z.object({
    key: z
      .string()
      .min(1)
      .meta({
        description: "Any word that means nothing else, in any case.",
        examples: ["groceries"],
      }),
    id: NODE_REFERENCE,
  }),
);

const NOT_OF_PART = problem(
  "forbidden",
  "This key may point only those shortcuts anew that lead into its part.",
);

export const setTarget = defineOperation({
  id: "setTarget",
  method: "POST",
  path: "/api/v1/targets",
  tag: "Targets",
  summary: "Set a shortcut",
  description:
    "Makes a shortcut to a node that is there, or points an existing one anew. A key that is limited " +
    "to a part of the outline makes none.",
  needs: { write: true, wholeOutline: false },
  body: BODY,
  answer: DONE,
  example: { key: "groceries", id: "8b1e42d07a9f" },
  problems: ["not_found"],
  async run({ caller, body }, service) {
    const invalid = shortcutProblem(body.key);
    if (invalid !== undefined) return problem("invalid_request", `key: ${invalid}.`);
    return writing(service, caller, (view) => {
      const node = view.node(body.id);
      if (node === undefined || node === ROOT) return NO_SUCH_NODE;
      // Whether there is one of that key outside, nobody is to learn who sees only a part.
      const earlier = view.outline.shortcutNode(body.key);
      const isSeen = earlier !== undefined && view.reaches(earlier);
      if (view.top !== ROOT && !isSeen) return NOT_OF_PART;
      const result = view.outline.setShortcut(body.key, node);
      return result.kind === "ok" ? DONE_ANSWER : problemOfRefusal(result);
    });
  },
});
