import { z } from "zod";
import { SYSTEM_TARGETS } from "../../core/reference.ts";
import { named, TARGET } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { reading } from "../service.ts";

type Target = z.infer<typeof TARGET>;

export const listTargets = defineOperation({
  id: "listTargets",
  method: "GET",
  path: "/api/v1/targets",
  tag: "Targets",
  summary: "List the targets",
  description: "Answers the five system targets, then the shortcuts, oldest first.",
  needs: { write: false, wholeOutline: false },
  answer: named("TargetList", z.strictObject({ targets: z.array(TARGET) })),
  problems: ["not_found"],
  run({ principal }, service) {
    return reading(service, principal, (view) =>
      view.place(null) === undefined ? NO_SUCH_NODE : JSON.stringify({ targets: targetsOf(view) }),
    );
  },
});

function targetsOf(view: ScopedOutline): readonly Target[] {
  const targets: Target[] = SYSTEM_TARGETS.map((key) => {
    const node = view.node(key);
    return { key, type: "system", name: node === undefined ? null : view.name(node) };
  });
  for (const { key, node } of view.outline.shortcuts()) {
    if (view.reaches(node)) targets.push({ key, type: "shortcut", name: view.name(node) });
  }
  return targets;
}
