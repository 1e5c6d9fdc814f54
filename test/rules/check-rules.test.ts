import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { ruleCoverage, rulesNamedIn } from "./rule-coverage.ts";

const SPEC = [
  "## N Nodes",
  "- **N1** One.",
  "- **N2** Two.",
  "## R References",
  "- **R1** Three.",
].join("\n");

const TABLE = ["## Q Limits", "| Row | Limit |", "| --- | --- |", "| **Q1** | Four. |"].join("\n");

test("nothing is found when every rule has a test and every title a rule", () => {
  const sources = new Map([
    ["a.test.ts", 'test("[N1] one", f); test(`[N2, R1] two at once`, f);'],
    ["b.test.ts", "test.each([['[N1] again', 1]])"],
  ]);
  expect(ruleCoverage(SPEC, sources)).toEqual([]);
});

test("a rule without a test and a title without a rule are found", () => {
  const sources = new Map([["a.test.ts", 'test("[N1] one", f); test("[N3] lost", f);']]);
  expect(ruleCoverage(SPEC, sources)).toEqual([
    { kind: "untested_rule", rule: "N2" },
    { kind: "untested_rule", rule: "R1" },
    { kind: "unknown_rule", rule: "N3", file: "a.test.ts" },
  ]);
});

test("a rule that stands twice or under another letter is found", () => {
  const sources = new Map([["a.test.ts", '"[N1]"; "[N2]"; "[R1]"; "[R2]"']]);
  expect(ruleCoverage(`${SPEC}\n- **N1** Again.\n- **R2** Four.`, sources)).toEqual([
    { kind: "repeated_rule", rule: "N1" },
    { kind: "misplaced_rule", rule: "N1", section: "R" },
  ]);
});

test("only tags at the start of a string name a rule", () => {
  const source = `
    test("[N1] one", () => rows["N2"]);
    test('[N3,K4] two', () => tags[N5]);
    // [N6] is what a comment says
    test("says [N7] later");
    const keys = ["N8"];
  `;
  expect(rulesNamedIn(source)).toEqual(["N1", "N3", "K4"]);
});

test("the command exits with 1 and names what it found, and with 0 when all is well", async () => {
  const root = await mkdtemp(join(tmpdir(), "rules-"));
  const command = fileURLToPath(new URL("check-rules.ts", import.meta.url));
  const run = () =>
    promisify(execFile)(process.execPath, ["--import", "tsx", command, root]).then(
      ({ stderr }) => ({ code: 0, stderr }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    );
  try {
    await mkdir(join(root, "docs"));
    await mkdir(join(root, "test", "api"), { recursive: true });
    await writeFile(join(root, "docs/SPEC.md"), SPEC);
    await writeFile(join(root, "docs/security.md"), TABLE);
    await writeFile(join(root, "test/api/a.test.ts"), 'test("[N1, N2] both", f)');
    expect(await run()).toEqual({ code: 1, stderr: "R1 has no test\nQ1 has no test\n" });
    await writeFile(
      join(root, "test/api/b.test.ts"),
      'test("[R1] three", f); test("[Q1] four", f)',
    );
    expect(await run()).toEqual({ code: 0, stderr: "" });
  } finally {
    await rm(root, { recursive: true });
  }
});
