import { expect, test } from "vitest";
import { openFailure } from "../../src/store/store-failure.ts";

function adviceFor(reason: string): string {
  const cause = Object.assign(new Error(`IO error: /data/000007.log: ${reason}`), {
    code: "LEVEL_IO_ERROR",
  });
  return openFailure("/data", new Error("Database failed to open", { cause })).message;
}

test("whoever can't open a store is told what is to be done about it", () => {
  expect(adviceFor("No space left on device")).toContain("Make room on its disk.");
  expect(adviceFor("Disk quota exceeded")).toContain("Make room on its disk.");
  expect(adviceFor("Permission denied")).toContain("able to write to it");
  expect(adviceFor("Read-only file system")).toContain("able to write to it");
  expect(adviceFor("Too many open files")).toContain("ulimit -n");
  for (const reason of ["No space left on device", "Permission denied", "Too many open files"]) {
    expect(adviceFor(reason)).toContain(reason);
    expect(adviceFor(reason)).not.toContain("repair");
  }
  expect(adviceFor("Input/output error")).toContain('"outline repair"');
});
