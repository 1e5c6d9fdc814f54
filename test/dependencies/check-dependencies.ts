/**
 * Fails when a dependency is known to be vulnerable (high or critical; for what is shipped and for
 * what builds and tests it), when the lock file would install something unchecked, or when a package
 * that nobody allowed to wants to run a script on installation. Where the registry can't be asked
 * that is said aloud; with `--required` it fails.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isGrave, readAuditReport } from "./audit-report.ts";
import { lockFindings, sentenceOfLock, type LockFile } from "./lock-findings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** npm ends with 1 both for findings and when nobody answers: what it printed tells which. */
function npmAudit(): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: root, timeout: 60_000, maxBuffer: 2 ** 26 };
    execFile("npm", ["audit", "--json"], options, (_error, stdout) => resolve(stdout));
  });
}

const lock = JSON.parse(await readFile(`${root}package-lock.json`, "utf8")) as LockFile;
const findings = lockFindings(lock, (place) => existsSync(`${root}${place}`));
for (const finding of findings) console.error(sentenceOfLock(finding));

const report = readAuditReport(await npmAudit());
let isSafe = findings.length === 0;
if (report.kind === "unanswered") {
  console.error(
    `NOT AUDITED for known vulnerabilities, the registry can't be asked: ${report.why}`,
  );
  if (process.argv.includes("--required")) isSafe = false;
} else {
  for (const { name, severity, range } of report.vulnerable) {
    console.error(`${severity}: ${name} ${range}`);
  }
  if (report.vulnerable.some(isGrave)) isSafe = false;
}
if (!isSafe) process.exitCode = 1;
