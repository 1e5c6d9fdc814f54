import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../support/service.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EXAMPLE = join(ROOT, "docs", "client-example.mjs");
const run = promisify(execFile);

/** A project of somebody else, which has nothing but the package and what that says it needs. */
let project = "";
let installed = "";

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "project-"));
  installed = join(project, "node_modules", "outline-client");
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: join(ROOT, "dist", "client"),
  });
  const [packed] = JSON.parse(stdout) as readonly [{ readonly filename: string }];
  await mkdir(installed, { recursive: true });
  await run("tar", [
    "xzf",
    join(project, packed.filename),
    "-C",
    installed,
    "--strip-components=1",
  ]);
  const { dependencies } = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const place = join(project, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), place);
  }
});
afterAll(async () => {
  await rm(project, { recursive: true });
});

test("[L124] the package holds the library, its types, a README and the licence, and no more", async () => {
  const files = await readdir(installed, { recursive: true, withFileTypes: true });
  const names = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));
  const others = names.filter(
    (name) => !/^(?:[\w-]+\.js|assets\/[\w-]+\.js|rest\.d\.ts|types\/[\w/-]+\.d\.ts)$/.test(name),
  );
  expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
  expect(names).toEqual(expect.arrayContaining(["node.js", "browser.js"]));
});

test("[L124] the example of the README runs on the package", async () => {
  const service = await startService();
  try {
    const example = (await readFile(EXAMPLE, "utf8")).replace(
      "outline-service/client",
      "outline-client",
    );
    await writeFile(join(project, "example.mjs"), example);
    const { stdout, stderr } = await run(process.execPath, ["example.mjs"], {
      cwd: project,
      env: { ...process.env, OUTLINE_URL: service.url, OUTLINE_KEY: service.key },
    });
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n").at(-1)).toBe("saved, 0 to send");
    const { body } = await service.request("GET", "/api/v1/nodes?parent_id=None");
    expect(body).toMatchObject({ nodes: [{ name: "Trip" }] });
  } finally {
    await service.close();
  }
});

test("[L125] its REST client has each operation, sends what it is given where it belongs, and tells refusals", async () => {
  const service = await startService();
  try {
    const program = `
      import { restClient, RestError } from "outline-client/rest";
      const api = restClient({ url: process.argv[2] + "/", key: process.argv[3] });
      const { item_id: id } = await api.createNode({ name: "a & b", position: "bottom" });
      await api.updateNode({ id, note: "below" });
      await api.createNode({ parent_id: id, name: "c" });
      const { matches } = await api.searchNodes({ q: "c", limit: 1, root: undefined });
      const { nodes } = await api.listNodes();
      const { root } = await api.readTree({ id, depth: 1 });
      let etag;
      const fetchWithTag = async (...args) => {
        const response = await fetch(...args);
        etag = response.headers.get("etag");
        return response;
      };
      await restClient({ url: process.argv[2], key: process.argv[3], fetch: fetchWithTag }).retrieveNode({ id });
      const known = await api.retrieveNode({ id }, { headers: { "if-none-match": etag } });
      const refused = await api.deleteNode({ id: "../nodes/é" }).catch((error) => error);
      const again = await api.deleteNode({ id });
      console.log(JSON.stringify([
        matches.map(({ node }) => node.name), nodes.map(({ note }) => note), root.name, String(known),
        refused instanceof RestError, refused.status, refused.code, refused.message, again.status,
        Object.keys(api),
      ]));`;
    await writeFile(join(project, "rest.mjs"), program);
    const { stdout } = await run(process.execPath, ["rest.mjs", service.url, service.key], {
      cwd: project,
    });
    const { body } = await service.request("GET", "/openapi.json");
    const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> };
    const described = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(JSON.parse(stdout)).toEqual([
      ["c"],
      ["below"],
      "a &amp; b",
      "undefined",
      true,
      404,
      "not_found",
      expect.any(String),
      "ok",
      described.filter((name) => name !== "followChanges"),
    ]);
  } finally {
    await service.close();
  }
});

test("[L124, L125] a strict program knows its types, and a wrong call is an error", async () => {
  const options = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
  };
  const opened = 'const replica = await open({ url: "http://x", key: "ok_1", store: "./y" });';
  const api = 'const api = restClient({ url: "http://x", key: "ok_1" });';
  const programs = {
    right: [
      opened,
      'const made = replica.edits.create({ parent: ROOT, name: "x" });',
      "export const key: string = made.kind === 'created' ? made.key : made.kind;",
      "export const names: readonly string[] = replica.outline.children(ROOT).map(({ name }) => name);",
      api,
      'export const found = (await api.searchNodes({ q: "x", limit: 3 })).matches.map(({ node }) => node.id);',
      'await api.moveNode({ id: found[0] ?? "", parent_id: null, position: { after: "today" } });',
    ],
    parent: [opened, "replica.edits.create({ parent: 1 });"],
    missing: [api, "await api.moveNode({ position: 'top' });"],
    kind: [api, "await api.searchNodes({ q: 1 });"],
  };
  for (const [name, lines] of Object.entries(programs)) {
    const source = [
      'import { open, ROOT } from "outline-client";',
      'import { restClient } from "outline-client/rest";',
      ...lines,
    ];
    await writeFile(join(project, `${name}.mts`), source.join("\n"));
  }
  const files = Object.keys(programs).map((name) => `${name}.mts`);
  const config = { compilerOptions: options, files };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const errors = await run(process.execPath, [tsc, "--pretty", "false"], { cwd: project }).then(
    () => "",
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  const [kind = "", missing = "", parent = "", ...others] = errors.split(/^(?=\S)/m);
  expect(kind).toMatch(/^kind\.mts\(4,\d+\): error TS2322/);
  expect(missing).toMatch(/^missing\.mts\(4,\d+\): error TS\d+.*'id'/s);
  expect(parent).toMatch(/^parent\.mts\(4,\d+\): error TS2322/);
  expect(others).toEqual([]);
});
