import { warningsOf } from "../../../src/core/search/query-warnings.ts";
import type { Workspace } from "../state/workspace.ts";

/** Says of a search that finds nothing what in it was taken for a word, though it looks like an operator. */
export function SearchWarnings({
  workspace,
  query,
}: {
  readonly workspace: Workspace;
  readonly query: string;
}) {
  const { outline } = workspace.replica;
  const context = { nowMs: outline.now(), timezone: outline.settings().timezone };
  return warningsOf(query, context).map(({ term, message }) => (
    <p key={term} class="no-rows">
      {message}
    </p>
  ));
}
