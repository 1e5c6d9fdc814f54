/**
 * Fails when a rule of the documents has no test, when a test's title names a rule that is not there,
 * when what may grow in the server names no row of the limits, or when a document or a comment names a
 * path that is not there.
 * An argument names the project to check; without one it is this project.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { growingFieldsWithoutRow, sentenceOfField } from "./growing-fields.ts";
import { missingPaths, ProjectPaths, sentenceOfPath } from "./named-paths.ts";
import { ruleCoverage, rulesOf, sentenceOf } from "./rule-coverage.ts";

/** The tests of this very check are full of invented rules. */
const OWN_FOLDER = join("test", "rules");
const NOT_OURS: ReadonlySet<string> = new Set(["node_modules", "dist", "data", "coverage", ".git"]);
/** Where things are held for people outside. */
const SERVER = /^src\/(?:charges|http|sync|documents|accounts|store|admin)\//;

const root = process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url));
const documents = await Promise.all(
  ["docs/SPEC.md", "docs/security.md"].map((file) => readFile(join(root, file), "utf8")),
);
const files = await filesOf(root);
const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith(OWN_FOLDER));
const tests = await textsOf(sources.filter((file) => file.startsWith("test/")));
const server = await textsOf(sources.filter((file) => SERVER.test(file)));
const naming = await textsOf([...sources, ...files.filter((file) => file.endsWith(".md"))]);
const paths = new ProjectPaths(files);

const limits = new Set(rulesOf(documents[1] ?? ""));
const sentences = [
  ...ruleCoverage(documents.join("\n"), tests).map(sentenceOf),
  ...[...server].flatMap(([file, source]) =>
    growingFieldsWithoutRow(file, source, limits).map(sentenceOfField),
  ),
  ...[...naming].flatMap(([file, text]) => missingPaths(file, text, paths).map(sentenceOfPath)),
];
for (const sentence of sentences) console.error(sentence);
if (sentences.length > 0) process.exitCode = 1;

/** The project's own files, by name, without what is installed and what is made from them. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found.push(relative(root, path));
    else if (entry.isDirectory() && !NOT_OURS.has(entry.name)) found.push(...(await filesOf(path)));
  }
  return found;
}

async function textsOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const name of names) texts.set(name, await readFile(join(root, name), "utf8"));
  return texts;
}
