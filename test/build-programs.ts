import { build } from "vite";

/** For vitest, which calls this before a run: see the configuration. */
export async function setup(): Promise<void> {
  const configFile = new URL("programs.vite.config.ts", import.meta.url).pathname;
  await build({ configFile, logLevel: "warn" });
}
