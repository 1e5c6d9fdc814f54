import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import { call, useProgramFolder } from "./program-folder.ts";
import { connectStockClient } from "./stock-client.ts";

const program = useProgramFolder();

const { command } = program;
const WAIT = { timeout: 60_000, interval: 20 };

async function names(server: { url: string }, key: string): Promise<string[]> {
  const { body } = await call(server, key, "GET", "nodes");
  return (body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
}

describe.each(["beside a running server", "on a stopped one"])("the command %s", (where) => {
  const isServing = where === "beside a running server";

  test("[C5, C7] manages users and keys", async () => {
    let server = await program.start();
    if (!isServing) await server.stop("SIGTERM");
    const statusOf = async (key: string, ...request: readonly ["POST", object] | []) =>
      (await call(server, key, request[0] ?? "GET", "nodes", request[1])).status;
    const anna = await command(["user", "add", "anna"]);
    expect(anna).toMatchObject({ code: 0, out: expect.stringMatching(/^ok_\w{32}\n$/) });
    expect(await command(["user", "add", "anna"])).toMatchObject({
      code: 1,
      out: "",
      err: 'There is a user "anna" already.\n',
    });
    const reader = await command(["key", "add", "--user", "anna", "--scope", "read"]);
    const revoked = await command(["key", "add", "--user", "anna"]);
    const { out: keys } = await command(["key", "list", "--user", "anna"]);
    const rows = keys
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([, scope]) => scope)).toEqual(["write", "read", "write"]);
    const [annaKey, readerKey, revokedKey] = [anna, reader, revoked].map(({ out }) => out.trim());
    const benKey = (await command(["user", "add", "ben"])).out.trim();

    // What a server has just let in, too.
    if (isServing) {
      expect([await statusOf(revokedKey ?? ""), await statusOf(benKey)]).toEqual([200, 200]);
    }
    expect((await command(["key", "revoke", rows[2]?.[0] ?? "", "--user", "anna"])).code).toBe(0);
    expect((await command(["key", "revoke", "key_none"])).code).toBe(1);
    expect((await command(["user", "remove", "ben"])).code).toBe(0);
    expect((await command(["user", "list"])).out).toMatch(/^anna\t[^\n]+\nme\t[^\n]+\n$/);
    expect((await command(["export", "--user", "ben"])).code).toBe(1);

    if (!isServing) server = await program.start();
    expect(await statusOf(annaKey ?? "", "POST", { name: "x" })).toBe(200);
    expect(await statusOf(readerKey ?? "")).toBe(200);
    expect(await statusOf(readerKey ?? "", "POST", { name: "x" })).toBe(403);
    expect([await statusOf(revokedKey ?? ""), await statusOf(benKey)]).toEqual([401, 401]);
  });

  test("[C6, C12] imports a file or nothing of it, and exports; the API shows the same", async () => {
    let server = await program.start({ environment: { OUTLINE_EXPORT_LIMIT_MS: "0" } });
    const { key } = server;
    await call(server, key, "POST", "nodes", { name: "there before", note: "a\nb" });
    await call(server, key, "POST", "nodes", { name: "- [x] done", parent_id: "today" });
    if (!isServing) await server.stop("SIGTERM");
    const file = join(program.path, "list.md");
    await writeFile(file, "# List\n> note\n\n- **one**\n  - [x] two\n- [ ] three\n");
    expect(await command(["import", file])).toMatchObject({ code: 0, out: "" });
    expect((await command(["import", file, "--parent", "inbox"])).code).toBe(0);
    expect(await command(["import", file, "--parent", "nowhere"])).toEqual({
      code: 1,
      out: "",
      err: 'There is no node "nowhere".\n',
    });
    const broken = join(program.path, "broken.opml");
    await writeFile(
      broken,
      "<opml><body>\n<outline text='a'/>\n<outline text='b'>\n</body></opml>",
    );
    const exported = async () => (await command(["export"])).out;
    const before = await exported();
    expect(await command(["import", broken])).toEqual({
      code: 1,
      out: "",
      err: `${broken}, line 4: unexpected close tag. Nothing was imported.\n`,
    });
    expect(await exported()).toBe(before);
    if (isServing) {
      const piped = await program.run(["import", "-", "--format", "text"], {}, "piped\n\tin");
      expect(piped.code).toBe(0);
    }

    const output = join(program.path, "all.json");
    expect((await command(["export", "--output", output])).code).toBe(0);
    const json = await readFile(output, "utf8");
    const markdown = await command(["export", "--format", "markdown"]);
    expect(markdown.out).toContain("- [ ] three\n");
    if (!isServing) server = await program.start({ environment: { OUTLINE_EXPORT_LIMIT_MS: "0" } });
    const { body } = await call(server, key, "GET", "nodes-export");
    expect(JSON.parse(json)).toEqual(body);
    expect(JSON.stringify(body)).toBe(json);
    if (!isServing) await server.stop("SIGTERM");

    // Into another outline and out again: the same but for whose it is.
    for (const format of isServing ? ["json", "opml"] : ["json"]) {
      const copy = join(program.path, `copy.${format}`);
      expect((await command(["export", "--output", copy])).code).toBe(0);
      expect((await command(["user", "add", format])).code).toBe(0);
      expect((await command(["import", copy, "--user", format])).code).toBe(0);
      const again = await command(["export", "--user", format]);
      expect(withoutOwner(again.out)).toBe(withoutOwner(json));
    }
    expect(await command(["check"])).toMatchObject({ code: 0, out: "" });
  });

  test("[C13] backs up and restores", async () => {
    let server = await program.start();
    const { key } = server;
    await call(server, key, "POST", "nodes", { name: "kept" });
    if (!isServing) await server.stop("SIGTERM");
    const backup = join(program.path, "backup");
    expect((await command(["backup", backup])).code).toBe(0);
    expect(await command(["backup", backup])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not empty/),
    });
    const file = join(program.path, "later.txt");
    await writeFile(file, "later");
    expect((await command(["import", file])).code).toBe(0);
    const late = (await command(["key", "add"])).out.trim();
    if (isServing) expect((await call(server, late, "GET", "nodes")).status).toBe(200);

    expect((await command(["restore", join(program.path, "nothing")])).code).toBe(1);
    const restored = await command(["restore", backup]);
    expect(restored).toMatchObject({ code: 0, out: "" });
    expect(restored.err).toMatch(/^The backup lacks \d+ updates? of 1 outline: /m);
    if (!isServing) server = await program.start();
    expect(await names(server, key)).toEqual(["kept"]);
    expect((await call(server, late, "GET", "nodes")).status).toBe(401);
    await call(server, key, "POST", "nodes", { name: "and on" });
    expect(await names(server, key)).toEqual(["and on", "kept"]);
    if (!isServing) await server.stop("SIGTERM");
    expect((await command(["check"])).code).toBe(0);

    // A backup is a store of its own, that a fresh machine can start from.
    const elsewhere = { data: join(program.path, "elsewhere") };
    expect((await command(["restore", backup], elsewhere)).code).toBe(0);
    expect((await command(["export", "--format", "text"], elsewhere)).out).toBe("kept\n");
  });
});

describe("a restore while clients are connected", () => {
  test("[C13] they go on with what was restored, and keep what they had beyond it", async () => {
    const server = await program.start();
    const { key } = server;
    await call(server, key, "POST", "nodes", { name: "kept" });
    const backup = join(program.path, "backup");
    expect((await command(["backup", backup])).code).toBe(0);
    const client = connectStockClient(server.url, key);
    try {
      await vi.waitFor(() => expect(client.outline.size).toBe(1), WAIT);
      client.outline.create({ parent: ROOT, name: "typed after the backup" });
      await vi.waitFor(async () => expect(await names(server, key)).toHaveLength(2), WAIT);
      expect((await command(["restore", backup])).code).toBe(0);
      // The client still has it, and gives it to the server that has forgotten it.
      await vi.waitFor(async () => expect(await names(server, key)).toHaveLength(2), WAIT);
      expect((await command(["check"])).code).toBe(0);
    } finally {
      client.leave();
    }
  });
});

describe.each(["SIGKILL", "SIGTERM"] as const)("an import under way at a %s", (signal) => {
  test("[C6, C7] is there with all of its nodes or none", async () => {
    const server = await program.start();
    const file = join(program.path, "long.txt");
    await writeFile(file, Array.from({ length: 20_000 }, (_, index) => `node ${index}`).join("\n"));
    const importing = command(["import", file]);
    // The outline is opened when all of the file has arrived.
    await vi.waitFor(async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      expect(metrics).toMatch(/^outline_documents_open 1$/m);
    }, WAIT);
    await server.stop(signal);
    const { code, err } = await importing;
    if (code !== 0) expect(err).toBe("The server has gone before it was done.\n");
    const exported = await command(["export", "--format", "text"]);
    expect([0, 20_000]).toContain(exported.out.split("\n").length - 1);
    if (code === 0) expect(exported.out).not.toBe("");
    expect((await command(["check"])).code).toBe(0);
  });
});

test("[C7] without a server and without a store a command says so, and makes none", async () => {
  const { code, err } = await command(["user", "list"]);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^There is no outline store/),
  });
  expect(await readdir(program.path)).toEqual([]);
});

function withoutOwner(exported: string): string {
  return exported.replaceAll(/"(id|parent_id)":"[0-9a-f-]{24}/g, '"$1":"');
}
