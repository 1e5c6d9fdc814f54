import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AdminFailure } from "../../src/admin/admin-channel.ts";
import { COMMANDS } from "../../src/commands/commands.ts";
import { optionsMarkdown } from "../../src/commands/help.ts";
import { FakeChannel } from "./fake-channel.ts";
import { invoke, NOW } from "./invoke.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "outline-command-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe("calling the command", () => {
  test("[C1] --help names every command, every option and what it means", async () => {
    const { code, out, err } = await invoke(["--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const { name, summary } of COMMANDS) {
      expect(out).toContain(`  ${name}`);
      expect(out.replaceAll(/\s+/g, " ")).toContain(summary);
    }
    await expect(out).toMatchFileSnapshot("../golden/help.txt");
    expect(await invoke(["help"])).toEqual({ code, out, err });
  });

  test("[C1] --help of a command names no options where it has none", async () => {
    const { code, out } = await invoke(["migrate", "--help"]);
    expect(code).toBe(0);
    expect(out).not.toContain("Options of the service");
  });

  test("[C1] --help of a command tells its own flags", async () => {
    const { code, out } = await invoke(["key", "add", "--help"]);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot("../golden/help-key-add.txt");
  });

  test("[C1] --version", async () => {
    expect(await invoke(["--version"])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });

  test.each([
    [[], /Usage/],
    [["dance"], /^There is no command "dance"\. See/],
    [["user"], /^There is no command "user"\. Did you mean user add, user list, user remove\?/],
    [["user", "add"], /It is called as: outline user add NAME\./],
    [["user", "list", "x"], /It is called as: outline user list\./],
    [["user", "list", "--port", "1"], /--port/],
    [["key", "add", "--scope", "all"], /^--scope is read or write\./],
    [["key", "add", "--expires", "soon"], /^--expires is a date/],
    [["key", "add", "--expires", "2020-01-01"], /^--expires is in the past\./],
    [["import", "x.doc"], /tells no format/],
    [["import", "x.md", "--format", "doc"], /^--format is one of/],
    [["export", "--format", "doc"], /^--format is one of/],
  ])("[C4] %j is a wrong call: 2", async (args, message) => {
    const { code, out, err } = await invoke(args);
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringMatching(message) });
  });

  test("[C3] an option that can't be used: one sentence, 1", async () => {
    const result = await invoke(["user", "list"], undefined, { OUTLINE_PORT: "x" });
    const err = 'OUTLINE_PORT must be a whole number, 0 to 65535, not "x".\n';
    expect(result).toEqual({ code: 1, out: "", err });
  });

  test("[C4] a refusal: one sentence, 1, and the channel is closed", async () => {
    const channel = new FakeChannel({
      "user-add": { outcome: { kind: "refused", reason: "There is one." } },
    });
    const result = await invoke(["user", "add", "anna"], channel);
    expect(result).toEqual({ code: 1, out: "", err: "There is one.\n" });
    expect(channel.closed).toBe(1);
  });

  test("[C4] a server that goes away: one sentence, 1", async () => {
    const channel = new FakeChannel({ backup: { failure: new AdminFailure("It has gone.") } });
    expect(await invoke(["backup", "x"], channel)).toMatchObject({
      code: 1,
      err: "It has gone.\n",
    });
  });
});

describe("users and keys", () => {
  test("[C5] a new key is alone on standard output", async () => {
    const channel = new FakeChannel({
      "user-add": { items: [{ key: "ok_1" }] },
      "key-add": { items: [{ id: "key_2", key: "ok_2" }] },
    });
    expect(await invoke(["user", "add", "anna"], channel)).toMatchObject({
      code: 0,
      out: "ok_1\n",
    });
    const added = await invoke(["key", "add", "--user=anna", "--expires", "2d"], channel);
    expect(added).toMatchObject({ code: 0, out: "ok_2\n" });
    expect(added.err).toContain("key_2");
    expect(channel.asked.map(({ params }) => params)).toEqual([
      { user: "anna" },
      {
        user: "anna",
        name: "made by the command",
        scope: "write",
        expiresAt: NOW / 1000 + 2 * 86_400,
      },
    ]);
  });

  test("[C5] a key expires at a moment that there is", async () => {
    for (const [expires, expiresAt] of [
      ["2028-02-29", Date.UTC(2028, 1, 29) / 1000],
      ["2027-01-31T10:30Z", Date.UTC(2027, 0, 31, 10, 30) / 1000],
      ["2027-01-31T10:30:15+01:00", Date.UTC(2027, 0, 31, 9, 30, 15) / 1000],
    ] as const) {
      const channel = new FakeChannel({ "key-add": { items: [{ id: "key_2", key: "ok_2" }] } });
      expect((await invoke(["key", "add", "--expires", expires], channel)).code).toBe(0);
      expect(channel.asked.map(({ params }) => params)).toMatchObject([{ expiresAt }]);
    }
    for (const expires of [
      "",
      "2027-02-30",
      "2027-13-01",
      "2027-01-31 or so",
      "2027-01-31T25:00Z",
      "2026-11-20",
      "0d",
    ]) {
      const { code, out } = await invoke(["key", "add", "--expires", expires], new FakeChannel({}));
      expect([expires, code, out]).toEqual([expires, 2, ""]);
    }
  });

  test("[C5] what others have written tells a terminal nothing", async () => {
    const name = "\u001b[2J\u009b1m\u202eyek";
    const key = { id: "key_1", name, scope: "read", root: null, createdAt: 0, lastUsedAt: null };
    const maker = null;
    const channel = new FakeChannel({
      "key-list": { items: [{ ...key, expiresAt: 99_999_999_999_999, maker }] },
      "key-revoke": { outcome: { kind: "refused", reason: `no ${name}` } },
    });
    expect((await invoke(["key", "list"], channel)).out).toBe(
      "key_1\tread\t-\t1970-01-01T00:00:00Z\t-\t9999-12-31T23:59:59Z\t\uFFFD[2J\uFFFD1m\uFFFDyek\t-\n",
    );
    expect(await invoke(["key", "revoke", "x"], channel)).toMatchObject({
      code: 1,
      err: "no \uFFFD[2J\uFFFD1m\uFFFDyek\n",
    });
  });

  test("[C5] lists have a line for each, with tabs between", async () => {
    const outline = "0123456789ab8def8123";
    const key = { id: "key_1", name: "a\tb", scope: "read", root: null, createdAt: 0 };
    const channel = new FakeChannel({
      "user-list": { items: [{ user: "me", outline, createdAt: 1 }] },
      "key-list": { items: [{ ...key, lastUsedAt: null, expiresAt: 86_400, maker: "key_0" }] },
      "session-list": {
        items: [
          {
            id: "session_1",
            key: "key_1",
            browser: "Firefox on\tLinux\u001b[2J",
            createdAt: 0,
            lastUsedAt: 60,
            expiresAt: 86_400,
          },
        ],
      },
    });
    expect(await invoke(["user", "list"], channel)).toEqual({
      code: 0,
      out: `me\t${outline}\t1970-01-01T00:00:01Z\n`,
      err: "",
    });
    expect(await invoke(["key", "list"], channel)).toEqual({
      code: 0,
      out: "key_1\tread\t-\t1970-01-01T00:00:00Z\t-\t1970-01-02T00:00:00Z\ta b\tkey_0\n",
      err: "",
    });
    expect(await invoke(["session", "list"], channel)).toEqual({
      code: 0,
      out: "session_1\tkey_1\t1970-01-01T00:00:00Z\t1970-01-01T00:01:00Z\t1970-01-02T00:00:00Z\tFirefox on Linux\uFFFD[2J\n",
      err: "",
    });
  });
});

describe("sessions", () => {
  test("[C20] one browser is signed out, or all", async () => {
    const channel = new FakeChannel({ "session-end": {} });
    expect(await invoke(["session", "end", "session_1", "--user", "anna"], channel)).toEqual({
      code: 0,
      out: "",
      err: "",
    });
    expect((await invoke(["session", "end", "all"], channel)).code).toBe(0);
    expect(channel.asked.map(({ operation, params }) => [operation, params])).toEqual([
      ["session-end", { user: "anna", id: "session_1" }],
      ["session-end", { user: "me", id: null }],
    ]);
  });
});

describe("import", () => {
  test("[C6] reads the file here and hands over its entries", async () => {
    const channel = new FakeChannel({ import: { items: [{ nodes: 2 }] } });
    const path = await file("a.md", "# One\n- two");
    expect(await invoke(["import", path, "--user", "anna", "--parent", "inbox"], channel)).toEqual({
      code: 0,
      out: "",
      err: "Imported 2 nodes.\n",
    });
    expect(channel.asked).toEqual([
      {
        operation: "import",
        params: { user: "anna", parent: "inbox" },
        input: [
          { depth: 0, layout: "h1", name: "One" },
          { depth: 1, layout: "bullets", name: "two" },
        ],
      },
    ]);
  });

  test("[C6, F1] --format beats the name; UTF-16 is read too", async () => {
    const channel = new FakeChannel({ import: { items: [{ nodes: 1 }] } });
    const path = await file("b.md", Buffer.from("\ufeff# é", "utf16le"));
    expect(await invoke(["import", path, "--format", "text"], channel)).toMatchObject({ code: 0 });
    expect(channel.asked[0]?.input).toEqual([{ depth: 0, layout: "bullets", name: "# é" }]);
  });

  test.each([
    [
      "broken.json",
      '{"nodes":\n[{]}',
      /broken\.json: no valid JSON \(.+\)\. Nothing was imported\.\n$/,
    ],
    ["latin1.txt", Buffer.from("a\nb\n\xe9", "latin1"), /line 3: no valid UTF-8\. Nothing/],
    ["cut.txt", Buffer.from("é\né").subarray(0, -1), /line 2: no valid UTF-8\. Nothing/],
  ])("[C6] %s: line and reason, and nobody is asked", async (name, content, message) => {
    const channel = new FakeChannel({});
    const result = await invoke(["import", await file(name, content)], channel);
    expect(result).toEqual({ code: 1, out: "", err: expect.stringMatching(message) });
    expect(channel.asked).toEqual([]);
  });

  test("[C6] a file that is not there or too large: one sentence", async () => {
    const missing = await invoke(["import", join(folder, "none.md")], new FakeChannel({}));
    expect(missing).toMatchObject({ code: 1, err: expect.stringMatching(/can't be read: ENOENT/) });
    const path = await file("large.md", "x".repeat(2000));
    const large = await invoke(["import", path, "--max-import-bytes", "1024"], new FakeChannel({}));
    expect(large).toMatchObject({ code: 1, err: expect.stringMatching(/more than 1024 bytes/) });
  });
});

test("[C2] the README has the table of options", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  // The formatter aligns its columns.
  const cells = (text: string) => text.split("\n").map((row) => row.split(/\s*\|\s*/).join("|"));
  const rows = cells(optionsMarkdown()).filter((row) => row.startsWith("|`"));
  expect(cells(readme)).toEqual(expect.arrayContaining(rows));
});
