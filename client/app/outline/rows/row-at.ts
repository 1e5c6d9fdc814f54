import { isRowId, type RowId } from "./row-id.ts";

/** The row that something on the page is in; undefined beside the rows. */
export function rowAt(target: EventTarget | null): RowId | undefined {
  if (!(target instanceof Element)) return undefined;
  const id = target.closest<HTMLElement>("[data-key]")?.dataset["key"];
  return id !== undefined && isRowId(id) ? id : undefined;
}
