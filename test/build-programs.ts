import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const OLD_MS = 24 * 3_600_000;

/** For vitest, which calls this before a run: see the configuration. */
export async function setup(): Promise<void> {
  const configFile = fileURLToPath(new URL("programs.vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "warn" });
  // Broken copies of earlier builds; those of a run beside this one are younger.
  const mutants = fileURLToPath(new URL("../build/mutants", import.meta.url));
  for (const name of await readdir(mutants).catch(() => [])) {
    const { mtimeMs = Infinity } = (await stat(join(mutants, name)).catch(() => undefined)) ?? {};
    if (mtimeMs < Date.now() - OLD_MS) await rm(join(mutants, name), { recursive: true });
  }
}
