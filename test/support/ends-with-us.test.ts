import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";

const BEGINS_ONE = `
  import { spawn } from "node:child_process";
  const { endsWithUs } = await import(process.argv[1]);
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]);
  endsWithUs(child, "KILL", process.argv[2]);
  console.log(child.pid);
  setInterval(() => undefined, 1000);
`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("what a process has begun ends with it, and its folder goes, though it is killed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outline-ends-"));
  const helper = new URL("ends-with-us.ts", import.meta.url).href;
  const script = ["--import", "tsx", "--input-type=module", "-e", BEGINS_ONE, helper, folder];
  const parent = spawn(process.execPath, script, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  expect(isRunning(pid)).toBe(true);

  parent.kill("SIGKILL");

  while (isRunning(pid) || existsSync(folder)) await delay(20);
});
