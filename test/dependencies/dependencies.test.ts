import { expect, test } from "vitest";
import { isGrave, readAuditReport } from "./audit-report.ts";
import { lockFindings } from "./lock-findings.ts";

const SOUND = { integrity: "sha512-abc" };
const FOR_ELSEWHERE = { optional: true, dev: true, os: ["darwin"] };

test("a package without a checksum is found wherever it is installed, and unless it is a developer's tool", () => {
  const { dev: _dev, ...shipped } = FOR_ELSEWHERE;
  const { os: _os, ...forHere } = FOR_ELSEWHERE;
  const packages = {
    "node_modules/installed": FOR_ELSEWHERE,
    "node_modules/elsewhere": FOR_ELSEWHERE,
    "node_modules/shipped": shipped,
    "node_modules/for-here": forHere,
  };
  expect(lockFindings({ packages }, (place) => place === "node_modules/installed")).toEqual([
    { kind: "no_integrity", name: "installed" },
    { kind: "no_integrity", name: "shipped" },
    { kind: "no_integrity", name: "for-here" },
  ]);
});

test("a lock file whose packages are all checked has no findings", () => {
  const packages = {
    "": { dependencies: { yjs: "13.6.33" }, devDependencies: { vite: "8.0.0-beta.1" } },
    "node_modules/yjs": SOUND,
    "node_modules/classic-level": { ...SOUND, hasInstallScript: true },
    "node_modules/@oxlint/darwin": FOR_ELSEWHERE,
  };
  expect(lockFindings({ packages }, () => false)).toEqual([]);
});

test("what comes unchecked, from elsewhere, unpinned or with a script is found", () => {
  const packages = {
    "": { dependencies: { yjs: "^13.6.33" } },
    "node_modules/a": {},
    "node_modules/b": { integrity: "sha1-abc" },
    "node_modules/c": { ...SOUND, resolved: "git+ssh://somewhere/c.git" },
    "node_modules/c/node_modules/@d/e": { ...SOUND, hasInstallScript: true },
  };
  expect(lockFindings({ packages }, () => true)).toEqual([
    { kind: "loose_version", name: "yjs", range: "^13.6.33" },
    { kind: "no_integrity", name: "a" },
    { kind: "no_integrity", name: "b" },
    { kind: "odd_address", name: "c", address: "git+ssh://somewhere/c.git" },
    { kind: "install_script", name: "@d/e" },
  ]);
});

test("an audit's vulnerabilities are read, and the grave ones are those that may not be shipped", () => {
  const printed = {
    auditReportVersion: 2,
    vulnerabilities: {
      a: { name: "a", severity: "moderate", range: "<2.0.0", via: [] },
      b: { name: "b", severity: "critical", range: "*", via: [] },
    },
  };
  const report = readAuditReport(JSON.stringify(printed));
  expect(report).toEqual({
    kind: "answered",
    vulnerable: [
      { name: "a", severity: "moderate", range: "<2.0.0" },
      { name: "b", severity: "critical", range: "*" },
    ],
  });
  if (report.kind !== "answered") throw new Error("unanswered");
  expect(report.vulnerable.map(isGrave)).toEqual([false, true]);
});

test("a registry that does not answer is not taken for a clean bill", () => {
  const refused = { message: "405 Method Not Allowed - POST somewhere", statusCode: 405 };
  expect(readAuditReport(JSON.stringify(refused))).toEqual({
    kind: "unanswered",
    why: "405 Method Not Allowed",
  });
  expect(readAuditReport("")).toEqual({ kind: "unanswered", why: "npm audit printed no JSON" });
  expect(readAuditReport("{}")).toEqual({ kind: "unanswered", why: "an unknown answer" });
});
