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
  const lasting = ["-e", "console.log('begun'); setInterval(() => undefined, 1000)"];
  const child = spawn(process.execPath, lasting, { stdio: ["ignore", "inherit", "inherit"] });
  endsWithUs(child, "KILL", process.argv[2]);
  setInterval(() => undefined, 1000);
`;

test("what a process has begun ends with it, and its folder goes, though it is killed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outline-ends-"));
  const helper = new URL("ends-with-us.ts", import.meta.url).href;
  const script = ["--import", "tsx", "--input-type=module", "-e", BEGINS_ONE, helper, folder];
  const parent = spawn(process.execPath, script, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(parent.stdout, "data")) as [Buffer];
  expect(said.toString()).toBe("begun\n");
  expect(existsSync(folder)).toBe(true);

  parent.kill("SIGKILL");

  // The output closes when both have ended.
  await once(parent, "close");
  while (existsSync(folder)) await delay(20);
});
