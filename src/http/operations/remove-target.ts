import { z } from "zod";
import { SYSTEM_TARGETS } from "../../core/reference.ts";
import { DONE } from "../api-schemas.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { problem } from "../problem.ts";
import { writing } from "../service.ts";

const SYSTEM_KEYS: ReadonlySet<string> = new Set(SYSTEM_TARGETS);
const NO_SUCH_SHORTCUT = problem("not_found", "There is no such shortcut.");

export const removeTarget = defineOperation({
  id: "removeTarget",
  method: "DELETE",
  path: "/api/v1/targets/:key",
  tag: "Targets",
  summary: "Remove a shortcut",
  description: "Takes the shortcut away; its node stays.",
  needs: { write: true, wholeOutline: false },
  parameter: {
    name: "key",
    schema: z.string().meta({ description: "The key of a shortcut.", examples: ["groceries"] }),
  },
  answer: DONE,
  problems: ["not_found"],
  async run({ caller, id }, service) {
    if (SYSTEM_KEYS.has(id.trim().toLowerCase())) {
      return problem("invalid_request", "A system target can't be removed.");
    }
    return writing(service, caller, (view) => {
      const node = view.outline.shortcutNode(id);
      if (node === undefined || !view.reaches(node)) return NO_SUCH_SHORTCUT;
      const result = view.outline.removeShortcut(id);
      return result.kind === "ok" ? DONE_ANSWER : NO_SUCH_SHORTCUT;
    });
  },
});
