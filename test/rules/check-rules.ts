/**
 * Fails when a rule of the documents has no test, when a test's title names a rule that is not there, or
 * when what may grow in the server names no row of the limits.
 * An argument names the project to check; without one it is this project.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { growingFieldsWithoutRow, sentenceOfField } from "./growing-fields.ts";
import { ruleCoverage, rulesOf, sentenceOf } from "./rule-coverage.ts";

/** The tests of this very check are full of invented rules. */
const OWN_FOLDER = join("test", "rules");
/** Where things are held for people outside. */
const SERVER = /^src\/(?:charges|http|sync|documents|accounts|store|admin)\//;

const root = process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url));
const documents = await Promise.all(
  ["docs/SPEC.md", "docs/security.md"].map((file) => readFile(join(root, file), "utf8")),
);
const tests = await sourcesIn("test", (file) => !file.startsWith(OWN_FOLDER));
const server = await sourcesIn("src", (file) => SERVER.test(file));

const limits = new Set(rulesOf(documents[1] ?? ""));
const sentences = [
  ...ruleCoverage(documents.join("\n"), tests).map(sentenceOf),
  ...[...server].flatMap(([file, source]) =>
    growingFieldsWithoutRow(file, source, limits).map(sentenceOfField),
  ),
];
for (const sentence of sentences) console.error(sentence);
if (sentences.length > 0) process.exitCode = 1;

/** The files of TypeScript in a folder of the project, by name; none when it is not there. */
async function sourcesIn(
  folder: string,
  isWanted: (file: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  const path = join(root, folder);
  if (!existsSync(path)) return sources;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const file = relative(root, join(entry.parentPath, entry.name));
    if (!entry.isFile() || !file.endsWith(".ts") || !isWanted(file)) continue;
    sources.set(file, await readFile(join(root, file), "utf8"));
  }
  return sources;
}
