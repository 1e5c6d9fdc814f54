import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LogOutput } from "../../src/commands/log-output.ts";

async function newFile(): Promise<{ readonly path: string; readonly fd: number }> {
  const folder = await mkdtemp(join(tmpdir(), "log-"));
  const path = join(folder, "log");
  const file = await open(path, "w");
  onTestFinished(async () => {
    await file.close();
    await rm(folder, { recursive: true });
  });
  return { path, fd: file.fd };
}

test("[C29] lines are written in their order, those of a sudden end too", async () => {
  const { path, fd } = await newFile();
  const output = new LogOutput(fd);
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index} ü\n`);
  for (const line of lines) output.write(line);
  await expect.poll(() => readFile(path, "utf8")).toBe(lines.join(""));
  const last = new LogOutput(fd);
  last.write("under way\n");
  last.write("last\n");
  last.flushSync();
  await expect.poll(() => readFile(path, "utf8")).toContain("under way\n");
  expect(await readFile(path, "utf8")).toContain("last\n");
});

test("[Q123] of what waits to be written only so much is kept", async () => {
  const { path, fd } = await newFile();
  const output = new LogOutput(fd);
  const line = `${"x".repeat(1_023)}\n`;
  for (let count = 0; count < 3_000; count += 1) output.write(line);
  // The first one is on its way, and a mebibyte waits.
  await expect.poll(async () => (await readFile(path)).length).toBe(1_025 * 1_024);
  output.write("the next\n");
  await expect.poll(async () => (await readFile(path, "utf8")).endsWith("the next\n")).toBe(true);
});
