import type * as Y from "yjs";
import { inOneGo } from "../../src/core/in-one-go.ts";
import { type Inspection, inspectInSteps } from "../../src/core/updates/update-guard.ts";
import { DEFAULT_UPDATE_LIMITS, type UpdateLimits } from "../../src/core/updates/update-limits.ts";

/** `inspectInSteps` in one go. */
export function inspectUpdate(
  doc: Y.Doc,
  update: Uint8Array,
  limits: UpdateLimits = DEFAULT_UPDATE_LIMITS,
): Inspection {
  return inOneGo(inspectInSteps(doc, update, limits));
}
