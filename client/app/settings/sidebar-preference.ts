import type { PageStorage } from "../page/page-storage.ts";
import { Cell } from "../state/source.ts";

const NAME = "sidebar";

/** Whether the places stand beside the outline where there is room for both. */
export function sidebarPreference(storage: PageStorage): Cell<boolean> {
  const isShown = new Cell(storage.read(NAME) !== false);
  isShown.subscribe(() => storage.write(NAME, isShown.get()));
  return isShown;
}
