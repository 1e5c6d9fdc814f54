// Prints "N passed, N failed" for a report of vitest, and fails unless tests ran and all passed.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { numPassedTests: passed, numFailedTests, numFailedTestSuites, success } = report;
// A file that can't be loaded has no tests that could fail.
const failed = numFailedTests > 0 || success ? numFailedTests : Math.max(1, numFailedTestSuites);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
