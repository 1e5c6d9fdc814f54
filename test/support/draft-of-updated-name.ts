import { inOneGo } from "../../src/core/in-one-go.ts";
import type { Layout } from "../../src/core/node/layout.ts";
import { type NameDraft, updatedNameInSteps } from "../../src/core/text/name.ts";

/** `updatedNameInSteps` in one go. */
export function draftOfUpdatedName(
  name: string,
  currentLayout: Layout,
  explicit: Layout | undefined,
): NameDraft {
  return inOneGo(updatedNameInSteps(name, currentLayout, explicit));
}
