import type { Workspace } from "../state/workspace.ts";
import { StatusBanner } from "./status-banner.tsx";
import { StatusNews } from "./status-news.tsx";

/** Says what is wrong, when something is; it is there before that. */
export function Trouble({ workspace }: { readonly workspace: Workspace }) {
  return (
    <>
      <StatusBanner workspace={workspace} />
      <StatusNews replica={workspace.replica} />
    </>
  );
}
