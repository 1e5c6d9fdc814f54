import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const NAMES = pathOf("./app/late/late-names.ts");
const HTML = pathOf("./app/late/late-html.ts");
const WHOLE_TEXTS = pathOf("./app/late/whole-texts.ts");
const SURROUNDINGS = pathOf("./app/late/yjs-surroundings.ts");

/** What stands in for what, in the app only. `from`: where it is imported; absent: anywhere. */
const STAND_INS: readonly { readonly of: string; readonly from?: string; readonly by: string }[] = [
  { of: "./text/name.ts", from: "/src/core/new-node.ts", by: NAMES },
  { of: "./text/name.ts", from: "/src/core/node-patch.ts", by: NAMES },
  { of: "./text/note.ts", from: "/src/core/new-node.ts", by: HTML },
  { of: "./text/html.ts", from: "/src/core/node-patch.ts", by: HTML },
  { of: "./text/write-rich-text.ts", from: "/src/core/node-patch.ts", by: WHOLE_TEXTS },
  { of: "./text/write-rich-text.ts", from: "/src/core/node-writer.ts", by: WHOLE_TEXTS },
  { of: "../core/text/html.ts", from: "/src/formats/seedling-of-entry.ts", by: HTML },
  {
    of: "../../../src/core/text/html.ts",
    from: "/client/lib/edit/text-too-long.ts",
    by: HTML,
  },
  {
    of: "../../../src/core/text/note.ts",
    from: "/client/lib/edit/text-too-long.ts",
    by: HTML,
  },
  { of: "entities", by: pathOf("./app/late/browser-entities.ts") },
  { of: "lib0/logging", from: "/yjs.mjs", by: SURROUNDINGS },
  { of: "lib0/environment", from: "/yjs.mjs", by: SURROUNDINGS },
  { of: "./environment.js", from: "/buffer.js", by: SURROUNDINGS },
];

/**
 * Keeps out of the page what an outline can be edited without. The core reads markdown, HTML and
 * entities wherever it runs; a page does so when something comes from outside, and brings its own table
 * of entities. The core compares texts where a program gives a whole one, which no page does. To log in
 * colours, as it hardly ever does, Yjs would bring a description of everything that can be in a page.
 */
export function lateParts(): Plugin {
  return {
    name: "outline:late-parts",
    enforce: "pre",
    resolveId(source, importer) {
      const found = STAND_INS.find(
        ({ of, from = "" }) => of === source && importer?.endsWith(from) === true,
      );
      return found?.by;
    },
  };
}
