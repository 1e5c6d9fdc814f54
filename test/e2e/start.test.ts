import { execFile } from "node:child_process";
import { cp, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { VERSION } from "../../src/version.ts";
import { call, useProgramFolder } from "./program-folder.ts";
import { PROGRAM } from "./server-process.ts";

const run = promisify(execFile);

const program = useProgramFolder();
const OWN_KEY = "a-key-of-my-own-choice-123";

describe("a first start", () => {
  test("[C8] makes a user and a key, and prints address, key and a line to try, this once and in no log", async () => {
    const first = await program.start({ environment: { OUTLINE_LOG_LEVEL: "trace" } });
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.key).toMatch(/^ok_[0-9A-Za-z]{32}$/);
    expect(first.out()).toContain(`curl ${first.url}/api/v1/nodes`);
    expect(first.out()).toContain(`Authorization: Bearer ${first.key}`);
    expect(await call(first, first.key, "GET", "nodes")).toEqual({
      status: 200,
      body: { nodes: [] },
    });
    expect((await program.command(["user", "list"])).out).toMatch(/^me\t/);
    await call(first, first.key, "POST", "nodes", { name: "secret text" });
    await call(first, `${first.key}x`, "GET", "nodes");
    const { code, err } = await first.stop("SIGTERM");
    const second = await program.start();
    await call(second, first.key, "GET", "nodes");
    expect(code).toBe(0);
    expect(second.out()).toBe(`${second.out().split("\n")[0]}\n`);
    expect(err).toContain('"msg":"request"');
    for (const log of [err, second.err()]) {
      expect(log).not.toContain(first.key.slice(3));
      expect(log).not.toContain("secret text");
    }
  });

  test("[C8, C21] where others are served and nobody reads the output, the key is kept in a file", async () => {
    const environment = { OUTLINE_HOST: "0.0.0.0" };
    const first = await program.start({ environment });
    const file = join(program.data, "first-key");
    expect(first.key).toBe("");
    expect(first.out()).toContain(`\n  ${file}\n`);
    const key = (await readFile(file, "utf8")).trimEnd();
    expect(key).toMatch(/^ok_[0-9A-Za-z]{32}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await call(first, key, "GET", "nodes")).status).toBe(200);
    const { out, err } = await first.stop("SIGTERM");
    expect(out + err).not.toContain(key.slice(3));
    await rm(file);
    await (await program.start({ environment })).stop("SIGTERM");
    expect(await readdir(program.data)).toEqual(["store"]);
  });

  test("[C9] OUTLINE_API_KEY is the first key, and is not printed; another one is added to the user that is there", async () => {
    const environment = { OUTLINE_API_KEY: OWN_KEY };
    const first = await program.start({ environment });
    expect(first.out()).not.toContain(OWN_KEY);
    const created = await call(first, OWN_KEY, "POST", "nodes", { name: "mine" });
    expect(created.status).toBe(200);
    const keys = async () => (await program.command(["key", "list"])).out.trimEnd().split("\n");
    expect(await keys()).toHaveLength(1);
    expect((await first.stop("SIGTERM")).err).not.toContain(OWN_KEY);
    const other = "another-key-of-my-own-456";
    const second = await program.start({ environment: { OUTLINE_API_KEY: other } });
    expect(await keys()).toHaveLength(2);
    for (const key of [OWN_KEY, other]) {
      expect((await call(second, key, "GET", "nodes")).body).toMatchObject({
        nodes: [{ name: "mine" }],
      });
    }
    await second.stop("SIGTERM");
    // The same again adds nothing.
    await program.start({ environment });
    expect(await keys()).toHaveLength(2);
  });
});

/** Every write to it fails, since there is no space left. */
async function fullDisk(): Promise<number> {
  const file = await open("/dev/full", "w");
  onTestFinished(() => file.close());
  return file.fd;
}

test("[C29] a server whose log can't be written serves and stops", async () => {
  const environment = { OUTLINE_LOG_LEVEL: "debug" };
  const server = await program.start({ environment, errTo: await fullDisk() });
  for (let round = 0; round < 3; round += 1) {
    const { status } = await call(server, server.key, "POST", "nodes", { name: "x" });
    expect(status).toBe(200);
  }
  expect((await server.stop("SIGTERM")).code).toBe(0);
});

test("[C4] output that can't be written is told in a sentence", async () => {
  const { code, err } = await program.run(["help"], { outTo: await fullDisk() });
  expect(code).toBe(1);
  expect(err).toMatch(/^The output can't be written: ENOSPC: [^\n]*\n$/);
});

test("[C4] a command whose messages can't be written does what it does", async () => {
  const { code, out } = await program.run(["user", "add", "anna"], { errTo: await fullDisk() });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/^ok_\w{32}\n$/) });
});

test("[C7] a command by way of npm leaves the program as it was built", async () => {
  const built = async () => (await stat(PROGRAM)).mtimeMs;
  const before = await built();
  const { stdout } = await run("npm", ["run", "-s", "outline", "--", "--version"]);
  expect({ stdout, built: await built() }).toEqual({ stdout: `${VERSION}\n`, built: before });
});

test("[C8] the program is built wherever its folder is", async () => {
  const folder = join(program.path, "a folder é");
  for (const part of ["src", "client", "package.json", "tsconfig.json"]) {
    await cp(part, join(folder, part), { recursive: true });
  }
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  await run("npm", ["run", "-s", "build:program"], { cwd: folder });
  // As `npx outline` does, which makes it executable once and never again.
  const { stdout } = await run(join(folder, "dist/main.js"), ["--version"]);
  expect(stdout).toBe(`${VERSION}\n`);
  expect(await readdir(join(folder, "dist/app"))).toContain("index.html");
});

test("[C15] the metrics of a server that was used", async () => {
  const server = await program.start();
  await call(server, server.key, "POST", "nodes", { name: "x" });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const sample of [
    /^outline_http_request_duration_seconds_count\{.*status="200".*\} 1$/m,
    /^outline_sync_sessions 0$/m,
    /^outline_documents_open 1$/m,
    /^outline_documents_bytes [1-9]\d*$/m,
    /^outline_log_commit_duration_seconds_count [1-9]\d*$/m,
    /^outline_log_writes_total [1-9]\d*$/m,
    /^outline_log_failures_total 0$/m,
    /^outline_document_append_seconds_count 1$/m,
    /^outline_document_load_seconds_count 1$/m,
    /^process_resident_memory_bytes \d+$/m,
    /^nodejs_eventloop_lag_seconds \S+$/m,
  ]) {
    expect(metrics).toMatch(sample);
  }
});

describe("a start that can't work", () => {
  /** One sentence on standard error, and 1. */
  async function expectRefusal(
    environment: Readonly<Record<string, string>>,
    sentence: RegExp,
    isOwnProcess = false,
  ): Promise<void> {
    const { code, out, err } = isOwnProcess
      ? await program.run(["serve"], { environment })
      : await program.command(["serve"], { environment });
    expect({ code, out, lines: err.trimEnd().split("\n").length }).toEqual({
      code: 1,
      out: "",
      lines: 1,
    });
    expect(err).toMatch(sentence);
  }

  test("[C3] an option that can't be used", async () => {
    const sentence = /^OUTLINE_PORT must be a whole number/;
    await expectRefusal({ OUTLINE_PORT: "many" }, sentence, true);
  });

  test("[C10] a port in use; no key is made by it", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const OUTLINE_PORT = String(port);
    const inUse = new RegExp(`^Port ${port} .*in use`);
    await expectRefusal({ OUTLINE_PORT }, inUse);
    await expectRefusal({ OUTLINE_PORT, OUTLINE_API_KEY: OWN_KEY }, inUse);
    await expectRefusal({ OUTLINE_PORT, OUTLINE_FIRST_KEY: "file" }, inUse);
    expect(await readdir(program.data)).toEqual(["store"]);
    const server = await program.start();
    expect(server.key).not.toBe("");
    await expectRefusal({ OUTLINE_PORT, OUTLINE_API_KEY: OWN_KEY }, /process/);
    await server.stop("SIGTERM");
    await expectRefusal({ OUTLINE_PORT, OUTLINE_API_KEY: OWN_KEY }, inUse);
    other.close();
    expect((await program.command(["key", "list"])).out.trimEnd().split("\n")).toHaveLength(1);
  });

  test("[C10] an address of another machine", async () => {
    await expectRefusal({ OUTLINE_HOST: "192.0.2.1" }, /^192\.0\.2\.1 is no address/);
  });

  test("[C10] a data folder that can't be used", async () => {
    await writeFile(program.data, "a file");
    await expectRefusal({}, /ENOTDIR|EEXIST/);
  });

  test("[C10] a second process on the same folder", async () => {
    await program.start();
    await expectRefusal({ OUTLINE_PORT: "0" }, /process/);
  });

  test("[C10] remains of a store in which nothing is", async () => {
    await (await program.start()).stop("SIGTERM");
    const store = join(program.data, "store");
    for (const name of await readdir(store)) {
      if (/\.(ldb|log)$/.test(name)) await rm(join(store, name));
    }
    await expectRefusal({ OUTLINE_PORT: "0" }, /its log is gone.*outline repair/);
    expect(await readdir(program.data)).toEqual(["store"]);
  });

  test("[C10] a folder of other things", async () => {
    await mkdir(join(program.data, "store"), { recursive: true });
    await writeFile(join(program.data, "store", "diary.txt"), "dear diary");
    await expectRefusal({}, /diary\.txt/);
    expect(await readFile(join(program.data, "store", "diary.txt"), "utf8")).toBe("dear diary");
  });
});

test("[P24, C10, C25] a damaged store is refused by every command but repair, which mends it", async () => {
  const first = await program.start();
  await call(first, first.key, "POST", "nodes", { name: "kept" });
  const running = await program.command(["repair"]);
  expect([running.code, running.err]).toEqual([1, expect.stringContaining("stop it first")]);
  await first.stop("SIGTERM");
  expect((await program.command(["repair"])).err).toBe(
    "Nothing is damaged, and nothing was changed.\n",
  );
  const store = join(program.data, "store");
  for (const name of await readdir(store)) {
    if (name.startsWith("MANIFEST")) await writeFile(join(store, name), "nonsense");
  }
  for (const refused of [
    () => program.command(["serve"]),
    () => program.command(["user", "list"]),
    () => program.command(["check"]),
  ]) {
    const { code, err } = await refused();
    expect([code, err]).toEqual([1, expect.stringMatching(/MANIFEST-\d+.*run "outline repair"/)]);
  }
  expect(await readdir(program.data)).toEqual(["store"]);

  const repaired = await program.command(["repair"]);
  expect(repaired).toMatchObject({
    code: 0,
    out: "",
    err: expect.stringMatching(/^Something was damaged in 0 outlines[^]*1 key or session ended/),
  });
  expect((await readdir(program.data)).some((name) => name.startsWith("store.damaged-"))).toBe(
    true,
  );
  // It may have been revoked: nobody can tell.
  const second = await program.start();
  expect(second.key).toBe("");
  expect((await call(second, first.key, "GET", "nodes")).status).toBe(401);
  const added = await program.command(["key", "add", "--user", "me"]);
  expect(await call(second, added.out.trim(), "GET", "nodes")).toMatchObject({
    body: { nodes: [{ name: "kept" }] },
  });
});

test("[C25] a repair after which no key is left does not say that one may be valid again", async () => {
  await program.command(["user", "add", "anna"]);
  await program.command(["user", "remove", "anna"]);
  const store = join(program.data, "store");
  for (const name of await readdir(store)) {
    if (name.startsWith("MANIFEST")) await writeFile(join(store, name), "nonsense");
  }
  const { code, err } = await program.command(["repair"]);
  expect(code).toBe(0);
  expect(err).toContain("More may be lost than could be counted.");
  expect(err).not.toContain("may be valid again");
});

test("[P24] a repaired store that has lost all users is not begun anew in their place", async () => {
  const first = await program.start();
  // More than a block of a table, so that only users and keys, which come first, are lost.
  for (let index = 0; index < 8; index++) {
    await call(first, first.key, "POST", "nodes", { name: `${index} `.repeat(600) });
  }
  await first.stop("SIGTERM");
  // Opening it again moves everything from the log into a table.
  await program.command(["user", "list"]);
  const store = join(program.data, "store");
  const tables = (await readdir(store)).filter((name) => name.endsWith(".ldb"));
  expect(tables.length).toBeGreaterThan(0);
  for (const name of tables) await damageStart(join(store, name));
  expect(await program.command(["serve"])).toMatchObject({
    code: 1,
    err: expect.stringContaining('run "outline repair"'),
  });
  expect((await program.command(["repair"])).code).toBe(0);
  for (const environment of [{}, { OUTLINE_API_KEY: OWN_KEY }]) {
    const { code, out, err } = await program.command(["serve"], { environment });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^The users were lost with the damaged store that is kept in/m);
  }
});

async function damageStart(file: string): Promise<void> {
  const bytes = await readFile(file);
  await writeFile(
    file,
    bytes.map((byte, index) => (index < 100 ? byte ^ 0xff : byte)),
  );
}
