import fs from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeWhole } from "../../src/commands/write-whole.ts";

test("[C12] an output file is on stable storage before it takes the place of an old one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outline-whole-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "outline.md");
  await writeFile(file, "old");
  const { fsync } = fs;
  const seen: unknown[] = [];
  const spy = vi.spyOn(fs, "fsync").mockImplementation((descriptor, done) => {
    seen.push([fs.readFileSync(file, "utf8"), fs.fstatSync(descriptor).size]);
    fsync(descriptor, done);
  });
  onTestFinished(() => spy.mockRestore());
  await writeWhole(file, ["new ", "text"]);
  expect(seen).toEqual([["old", 8]]);
  expect(await readFile(file, "utf8")).toBe("new text");
  expect(await readdir(folder)).toEqual(["outline.md"]);
});
