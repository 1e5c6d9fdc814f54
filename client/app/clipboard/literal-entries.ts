import { DEFAULT_LAYOUT } from "../../../src/core/node/layout.ts";
import { escapeText } from "../../../src/core/text/render.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/** Every line a node of its own, exactly as it is. */
export function literalEntries(text: string): readonly OutlineEntry[] {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => ({ depth: 0, name: escapeText(line), layout: DEFAULT_LAYOUT }));
}
