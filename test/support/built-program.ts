import { fileURLToPath } from "node:url";

const SOURCES = new URL("..", import.meta.url).href;
const BUILT = new URL("../../build/programs/", import.meta.url);

/**
 * A program of `test/programs.vite.config.ts` as it was built before the tests.
 *
 * @param name of its source
 * @param from the module that starts it, as `import.meta.url`: the source lies beside that
 */
export function builtProgram(name: string, from: string): string {
  const source = new URL(name, from).href.slice(SOURCES.length);
  return fileURLToPath(new URL(source.replace(/\.ts$/, ".js"), BUILT));
}
