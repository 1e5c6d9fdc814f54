import { isRecord } from "../page/is-record.ts";
import type { PageStorage } from "../page/page-storage.ts";
import { Cell } from "../state/source.ts";
import type { Preferences } from "./preferences.ts";

const NAME = "preferences";
export const THEMES = ["system", "light", "dark"] as const;
export const TEXT_SIZES = ["small", "medium", "large"] as const;

/**
 * Preferences kept where a page can read them before it draws anything, so that nobody who likes it
 * dark sees a white flash first.
 */
export function devicePreferences(storage: PageStorage): Preferences {
  const stored = storage.read(NAME);
  const values = isRecord(stored) ? stored : {};
  const preferences: Preferences = {
    theme: new Cell(THEMES.find((each) => each === values["theme"]) ?? "system"),
    textSize: new Cell(TEXT_SIZES.find((each) => each === values["textSize"]) ?? "medium"),
    hidesCompleted: new Cell(values["hidesCompleted"] === true),
    dimsOthers: new Cell(values["dimsOthers"] === true),
    // Earlier versions kept it beside the others.
    showsPlaces: new Cell((values["showsPlaces"] ?? storage.read("sidebar")) !== false),
  };
  const cells = Object.entries(preferences);
  const keep = (): void =>
    storage.write(NAME, Object.fromEntries(cells.map(([name, cell]) => [name, cell.get()])));
  for (const [, cell] of cells) cell.subscribe(keep);
  return preferences;
}

/** Shows the look on the page, now and whenever it changes. */
export function applyLook({ theme, textSize }: Preferences, root: HTMLElement): void {
  const apply = (): void => {
    root.dataset["theme"] = theme.get();
    root.dataset["textSize"] = textSize.get();
  };
  theme.subscribe(apply);
  textSize.subscribe(apply);
  apply();
}
