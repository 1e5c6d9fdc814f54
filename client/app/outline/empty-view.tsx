import { latePart } from "../page/part-missing.ts";
import { useSource } from "../state/use-source.ts";
import { addLine, FirstLine } from "./first-line.tsx";
import type { OutlineScreen } from "./focus/outline-screen.ts";

const SearchWarnings = latePart(
  async () => (await import("../search/search-warnings.tsx")).SearchWarnings,
);

/** What is below the last row: a place to write on, or why there are no rows. */
export function EmptyView({ screen }: { readonly screen: OutlineScreen }) {
  const { workspace } = screen;
  const isEmpty = useSource(workspace.rows.rows).length === 0;
  const query = useSource(workspace.rows.query);
  if (query !== "" && !isEmpty) return null;
  if (query !== "") {
    return (
      <>
        <p class="no-rows">Nothing here matches.</p>
        <SearchWarnings workspace={workspace} query={query} />
      </>
    );
  }
  if (isEmpty) return <FirstLine screen={screen} />;
  return (
    <button
      type="button"
      class="add-line"
      data-part="add"
      aria-label="Add a line"
      onClick={() => void addLine(workspace)}
    >
      +
    </button>
  );
}
