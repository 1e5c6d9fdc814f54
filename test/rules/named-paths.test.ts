import { expect, test } from "vitest";
import { missingPaths, ProjectPaths, sentenceOfPath } from "./named-paths.ts";

const PATHS = new ProjectPaths([
  "README.md",
  "docs/rules.md",
  "docs/pictures/a.png",
  "src/core/text/markdown.ts",
]);

function missingIn(file: string, text: string): readonly string[] {
  return missingPaths(file, text, PATHS).map(({ path }) => path);
}

test("documents may name files from the project on or by their end, folders, and lead to both", () => {
  const text = [
    "`src/core/text/markdown.ts`, `core/text/markdown.ts`, `markdown.ts`, `src/core/`, `src/core`",
    "[rules](docs/rules.md#first) ![a](docs/pictures/a.png) [x](https://example.com/x.md) [y](#y)",
    "`npm test`, `a.b`, `yjs/src/index`, `application/json`",
  ].join("\n");
  expect(missingIn("README.md", text)).toEqual([]);
});

test("what documents name and is not there is found", () => {
  const text = [
    "`src/core/text/html.ts` and `html.ts`, `test/core`, `down.ts`",
    '[rules](docs/rules.md) <img src="a.png">',
  ].join("\n");
  expect(missingIn("docs/rules.md", text)).toEqual([
    "src/core/text/html.ts",
    "html.ts",
    "test/core",
    "down.ts",
    "docs/rules.md",
    "a.png",
  ]);
});

test("comments are looked at, and code is not", () => {
  const source = [
    "/** As in docs/rules.md and src/core/text. See docs/limits.md, */",
    " * `src/core/text/html.ts`, not yjs/src/core/item.js",
    'import { a } from "src/elsewhere.ts"; // from client/app.',
  ].join("\n");
  const [first, ...others] = missingPaths("src/a.ts", source, PATHS);
  expect(others.map(({ path }) => path)).toEqual(["src/core/text/html.ts", "client/app"]);
  expect(first && sentenceOfPath(first)).toBe("src/a.ts:1: there is no docs/limits.md");
});
