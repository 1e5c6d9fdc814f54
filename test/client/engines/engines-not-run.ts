import type { TestProject } from "vitest/node";
import { ENGINE_NAMES } from "./engine.ts";
import { findEngine } from "./installed-engines.ts";

let missing: readonly string[] = [];
let project: TestProject | undefined;

/** For vitest, which calls this before a run, and {@link teardown} behind it. */
export async function setup(run: TestProject): Promise<void> {
  project = run;
  const found = await Promise.all(
    ENGINE_NAMES.map(async (name) => ({ name, engine: await findEngine(name) })),
  );
  missing = found.flatMap(({ name, engine }) =>
    engine.kind === "missing" ? [`${name} (Debian: apt-get install ${engine.what})`] : [],
  );
}

/** Says which engines the scenarios of the app were meant for and did not run in. */
export function teardown(): void {
  const paths = project?.vitest.state.getPaths() ?? [];
  const wereMeant = paths.some((path) => path.includes("/test/client/engines/"));
  if (!wereMeant || missing.length === 0) return;
  process.stderr.write(`\nThe app was not tested in ${missing.join(", ")}.\n`);
}
