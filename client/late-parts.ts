import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What stands in for what, in the app only. `from`: where it is imported; absent: anywhere. */
const STAND_INS: readonly { readonly of: string; readonly from?: string; readonly by: string }[] = [
  {
    of: "./markdown.ts",
    from: "/src/core/text/name.ts",
    by: pathOf("./app/late/late-markdown.ts"),
  },
  { of: "entities", by: pathOf("./app/late/browser-entities.ts") },
];

/**
 * Keeps out of the page what an outline can be edited without. The core reads markdown and entities
 * wherever it runs; a page does so seldom, and brings its own table of entities.
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
