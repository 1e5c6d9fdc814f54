import type { Notices } from "./notices.ts";

/** Says that a part of the app, which is fetched when it is needed, could not be had. */
export function tellPartMissing(notices: Notices): void {
  notices.warn("A part of the app could not be loaded; there may be a newer version.", {
    label: "Reload",
    run: () => location.reload(),
  });
}
