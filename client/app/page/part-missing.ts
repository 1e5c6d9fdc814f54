import type { FunctionComponent } from "preact";
import { late } from "../state/late.tsx";
import type { Workspace } from "../state/workspace.ts";
import type { Notices } from "./notices.ts";

/** Says that a part of the app, which is fetched when it is needed, could not be had. */
export function tellPartMissing(notices: Notices): void {
  notices.warn("A part of the app could not be loaded; there may be a newer version.", {
    label: "Reload",
    run: () => location.reload(),
  });
}

/** A component of an open outline that is fetched when it is first drawn. */
export function latePart<Props extends { readonly workspace: Workspace }>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  return late(load, ({ workspace }) => tellPartMissing(workspace.notices));
}
