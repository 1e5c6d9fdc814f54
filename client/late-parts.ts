import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const NAMES = pathOf("./app/late/late-names.ts");
const HTML = pathOf("./app/late/late-html.ts");
const WHOLE_TEXTS = pathOf("./app/late/whole-texts.ts");
const SURROUNDINGS = pathOf("./app/late/yjs-surroundings.ts");

/** What stands in for what, in the app only. `from`: where it is imported; absent: anywhere. */
const STAND_INS: readonly { readonly of: string; readonly from?: string; readonly by: string }[] = [
  { of: "/src/core/text/name.ts", from: "/src/core/node/new-node.ts", by: NAMES },
  { of: "/src/core/text/name.ts", from: "/src/core/node/node-patch.ts", by: NAMES },
  { of: "/src/core/text/note.ts", from: "/src/core/node/new-node.ts", by: HTML },
  { of: "/src/core/text/html.ts", from: "/src/core/node/node-patch.ts", by: HTML },
  {
    of: "/src/core/text/write-rich-text.ts",
    from: "/src/core/node/node-patch.ts",
    by: WHOLE_TEXTS,
  },
  {
    of: "/src/core/text/write-rich-text.ts",
    from: "/src/core/node/node-writer.ts",
    by: WHOLE_TEXTS,
  },
  { of: "/src/core/text/html.ts", from: "/src/formats/seedling-of-entry.ts", by: HTML },
  { of: "/src/core/text/html.ts", from: "/client/lib/edit/text-too-long.ts", by: HTML },
  { of: "/src/core/text/note.ts", from: "/client/lib/edit/text-too-long.ts", by: HTML },
  { of: "entities", by: pathOf("./app/late/browser-entities.ts") },
  { of: "lib0/logging", from: "/yjs.mjs", by: SURROUNDINGS },
  { of: "lib0/environment", from: "/yjs.mjs", by: SURROUNDINGS },
  { of: "/lib0/environment.js", from: "/lib0/buffer.js", by: SURROUNDINGS },
];

/**
 * Keeps out of the page what an outline can be edited without. The core reads markdown, HTML and
 * entities wherever it runs; a page does so when something comes from outside, and brings its own table
 * of entities. The core compares texts where a program gives a whole one, which no page does. To log in
 * colours, as it hardly ever does, Yjs would bring a description of everything that can be in a page.
 */
export function lateParts(): Plugin {
  const unused = new Set(STAND_INS);
  return {
    name: "outline:late-parts",
    enforce: "pre",
    resolveId(source, importer = "") {
      const place = source.startsWith(".") ? join(dirname(importer), source) : source;
      const found = STAND_INS.find(
        ({ of, from = "" }) =>
          (of.startsWith("/") ? place.endsWith(of) : place === of) && importer.endsWith(from),
      );
      if (found !== undefined) unused.delete(found);
      return found?.by;
    },
    buildEnd(error) {
      // A module that was moved would bring along what is kept out.
      for (const { of, from = "any module" } of error === undefined ? unused : []) {
        this.error(`${from} does not import ${of}`);
      }
    },
  };
}
