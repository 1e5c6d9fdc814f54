/**
 * Fails when a rule of docs/SPEC.md has no test, or a test's title names a rule that is not there.
 * An argument names the project to check; without one it is this project.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { ruleCoverage, sentenceOf } from "./rule-coverage.ts";

/** The tests of this very check are full of invented rules. */
const OWN_FOLDER = join("test", "rules");

const root = process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url));
const spec = await readFile(join(root, "docs/SPEC.md"), "utf8");
const sources = new Map<string, string>();
for (const entry of await readdir(join(root, "test"), { recursive: true, withFileTypes: true })) {
  const file = relative(root, join(entry.parentPath, entry.name));
  if (!entry.isFile() || !file.endsWith(".ts") || file.startsWith(OWN_FOLDER)) continue;
  sources.set(file, await readFile(join(root, file), "utf8"));
}

const findings = ruleCoverage(spec, sources);
for (const finding of findings) console.error(sentenceOf(finding));
if (findings.length > 0) process.exitCode = 1;
