import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { call, useProgramFolder } from "./program-folder.ts";

const program = useProgramFolder();

/** Everything below a folder, and the folder itself, that others may do anything with. */
async function openToOthers(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const found: string[] = [];
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    if (((await stat(path)).mode & 0o077) !== 0) found.push(path);
  }
  return found;
}

test("[Q65] what is stored, backed up, restored and exported is for its owner only", async () => {
  // Some were there before, open to everybody.
  const [store, backup] = [join(program.data, "store"), join(program.path, "backup")];
  for (const folder of [store, backup]) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
  }
  await chmod(program.data, 0o755);
  const server = await program.start();
  await call(server, server.key, "POST", "nodes", { name: "private" });
  expect((await program.run(["backup", backup])).code).toBe(0);
  expect((await program.run(["restore", backup])).code).toBe(0);
  const output = join(program.path, "all.json");
  expect((await program.run(["export", "--output", output])).code).toBe(0);
  await server.stop("SIGTERM");
  for (const folder of [store, backup]) expect(await openToOthers(folder)).toEqual([]);
  expect((await stat(output)).mode & 0o777).toBe(0o600);
});

test("[Q65] what others left in a shared folder is not written through, and a link is replaced", async () => {
  const server = await program.start();
  await call(server, server.key, "POST", "nodes", { name: "private" });
  const shared = join(program.path, "shared");
  await mkdir(shared);
  const [victim, output] = [join(program.path, "victim"), join(shared, "all.json")];
  await writeFile(victim, "as it was");
  await symlink(victim, `${output}.part`);
  await symlink(victim, output);
  expect((await program.run(["export", "--output", output])).code).toBe(0);
  expect(await readFile(victim, "utf8")).toBe("as it was");
  expect(await readFile(output, "utf8")).toContain("private");
  expect((await readdir(shared)).toSorted()).toEqual(["all.json", "all.json.part"]);
});

test("[C12] an output that is there and no file is refused, and stays", async () => {
  await program.command(["user", "add", "me"]);
  const [pipe, link] = [join(program.path, "pipe"), join(program.path, "link")];
  await promisify(execFile)("mkfifo", [pipe]);
  await symlink(pipe, link);
  for (const output of [pipe, link]) {
    const { code, err } = await program.command(["export", "--output", output]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `${output} can't be written: it is no file (standard output is -).\n`,
    });
    expect((await stat(output)).isFIFO()).toBe(true);
  }
});
