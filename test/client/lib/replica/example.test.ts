import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startService } from "../../../support/service.ts";

const ROOT_FOLDER = fileURLToPath(new URL("../../../..", import.meta.url));
const EXAMPLE = join(ROOT_FOLDER, "docs", "client-example.mjs");

test("[L22] the example of the README is the one in docs", async () => {
  const readme = await readFile(join(ROOT_FOLDER, "README.md"), "utf8");
  expect(readme).toContain(`\`\`\`js\n${(await readFile(EXAMPLE, "utf8")).trim()}\n\`\`\`\n`);
});

test("[L22] the example runs with plain node, on the built library, against a server", async () => {
  const service = await startService();
  const folder = await mkdtemp(join(tmpdir(), "example-"));
  try {
    const run = (): Promise<{ stdout: string; stderr: string }> =>
      promisify(execFile)(process.execPath, [EXAMPLE], {
        cwd: folder,
        env: { ...process.env, OUTLINE_URL: service.url, OUTLINE_KEY: service.key },
      });
    const { stdout, stderr } = await run();
    expect(stderr).toBe("");
    const lines = stdout.trim().split("\n");
    expect(lines).toEqual(expect.arrayContaining(["done pack", "open book a <b>train</b>"]));
    expect(lines.at(-1)).toBe("saved, 0 to send");
    // The second run goes on with what the first has stored.
    await run();
    const { body } = await service.request("GET", "/api/v1/nodes?parent_id=None");
    expect(body).toMatchObject({ nodes: [{ name: "Trip" }, { name: "Trip" }] });
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
});
