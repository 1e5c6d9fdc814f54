import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { LOCAL_MCP_TOOLS } from "../local-mcp-tools.ts";
import { BEFORE, type Places, type Sent } from "../recorded.ts";
import { fetchProgram, type OfficialProgram } from "./fetch-program.ts";
import { type Person, test as programTest } from "./official-test.ts";

const LOCAL_MCP: OfficialProgram = {
  repository: "workflowy-local-mcp",
  tag: "v1.5.4",
  commit: "ed17ce6b99eaecc98e28fb6e639e3c5c62e65f50",
  packages: ["@modelcontextprotocol/sdk@1.25.1", "sql.js@1.13.0", "zod@3.25.76", "esbuild@0.24.2"],
  addressedIn: ["shared/api-environment.ts", "mcp-server/server.ts"],
  build: [
    [
      "esbuild",
      "mcp-server/server.ts",
      "--bundle",
      "--platform=node",
      "--target=node18",
      "--format=cjs",
      "--log-level=error",
      "--outfile=dist-mcp/server.cjs",
    ],
  ],
};

type Input = Readonly<Record<string, unknown>>;

/** The names of the tools that were called, those of all people. */
const called = new Set<string>();

/** The server, as an assistant starts it. */
class LocalMcp {
  readonly #program: string;
  readonly #person: Person;
  #client = new Client({ name: "test", version: "1" });

  constructor(program: string, person: Person) {
    this.#program = program;
    this.#person = person;
  }

  get client(): Client {
    return this.#client;
  }

  async start(): Promise<void> {
    const { key, home } = this.#person;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(this.#program, "dist-mcp/server.cjs")],
      // Its tools for mirrors ask for that.
      env: { HOME: home, WORKFLOWY_API_KEY: key, WORKFLOWY_API_ENVIRONMENT: "beta" },
      stderr: "ignore",
    });
    this.#client = new Client({ name: "test", version: "1" });
    await this.#client.connect(transport);
  }

  async end(): Promise<void> {
    await this.#client.close();
  }

  /** What a tool answers, which is no complaint. */
  async call(name: string, input: Input = {}): Promise<string> {
    called.add(name);
    const { isError = false, content } = await this.client.callTool({ name, arguments: input });
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    expect([name, isError, text]).toEqual([name, false, text]);
    expect(text).not.toMatch(/"error"|"success": false/);
    return text;
  }
}

const CHECK: Sent = ["GET", "/api/v1/targets"];
const EXPORT: Sent = ["GET", "/api/v1/nodes-export"];

const test = programTest
  .extend("program", { scope: "file" }, async ({ folder, proxy }) => {
    const packages = join(folder, "local-mcp");
    await mkdir(packages);
    return fetchProgram(LOCAL_MCP, { folder: packages, origin: proxy.url });
  })
  .extend("server", async ({ program, person }, { onCleanup }) => {
    const server = new LocalMcp(program, person);
    onCleanup(() => server.end());
    await server.start();
    // It copies the outline, and keeps a backup of it.
    const isReady = async (): Promise<void> =>
      expect(await server.call("list_backups")).toContain('"total_backups": 1');
    await vi.waitFor(isReady, { timeout: 30_000 });
    await person.hasDone({ sends: () => [CHECK, CHECK, EXPORT] });
    person.forget();
    return server;
  });

/** Starts it once more: it exports once a minute at most, and at its start when it has no copy. */
async function startAgain(server: LocalMcp, person: Person): Promise<void> {
  await server.end();
  await server.start();
  await vi.waitFor(() => expect(person.sent()).toEqual([CHECK, CHECK]), { timeout: 30_000 });
  person.forget();
}

/** The calls behind what was recorded; what edits is given what it is to send. */
const CALLS: Readonly<Record<string, (at: Places) => readonly (readonly [string, Input?])[]>> = {
  "read_doc {node_id: PROJECTS, depth: 3}": ({ projects }) => [
    ["read_doc", { node_id: projects.tag, depth: 3 }],
  ],
  "read_doc {node_id: None}, {node_id: today}, {node_id: 2027-03}, {node_id: work}": () => [
    ["read_doc", { node_id: "None", depth: 1 }],
    ["read_doc", { node_id: "today" }],
    ["read_doc", { node_id: "2027-03" }],
    ["read_doc", { node_id: "work", depth: 99 }],
  ],
  "mirror_info {node_id: GARDEN}": ({ garden }) => [["mirror_info", { node_id: garden.tag }]],
  "create_mirror {node_id: GARDEN, parent_id: OTHER}": ({ garden, other }) => [
    ["create_mirror", { node_id: garden.tag, parent_id: other.tag }],
  ],
  sync_nodes: () => [["sync_nodes"]],
  create_backup: () => [["create_backup"]],
  "list_bookmarks, with instructions that stand in PROJECTS": ({ projects }) => [
    ["save_bookmark", { name: "ai_instructions", node_id: projects.id }],
    ["list_bookmarks"],
  ],
};

const EXPORTING: ReadonlySet<string> = new Set(["sync_nodes", "create_backup"]);

test.for(LOCAL_MCP_TOOLS)(
  "[N69] the local MCP server itself does `$command`",
  async (recorded, { server, person }) => {
    if (EXPORTING.has(recorded.command)) await startAgain(server, person);
    const [, , edited] = recorded.sends(person.at).find(([, path]) => path.endsWith("/edit")) ?? [];
    const calls = CALLS[recorded.command]?.(person.at) ?? [["edit_doc", { ...edited }]];
    for (const [tool, input] of calls) await server.call(tool, input);
    await person.hasDone({ leaves: BEFORE, ...recorded });
  },
);

test("[N69] the local MCP server itself takes away a mirror that it has seen to be one", async ({
  server,
  person,
}) => {
  const { garden, other } = person.at;
  const made = await server.call("create_mirror", { node_id: garden.id, parent_id: other.id });
  const { mirror } = JSON.parse(made) as { readonly mirror: { readonly item_id: string } };
  person.forget();
  await server.call("remove_mirror", { node_id: mirror.item_id, confirm: true });
  const path = `/api/v1/nodes/${mirror.item_id}`;
  const sends = (): readonly Sent[] => [CHECK, ["GET", path], ["DELETE", `${path}/mirror`]];
  await person.hasDone({ sends, leaves: BEFORE });
});

test("[N69] the local MCP server itself deletes, and takes it that what is not found is gone", async ({
  server,
  person,
}) => {
  const { projects, garden } = person.at;
  const edit = { root: projects.tag, operations: [{ op: "delete", ref: garden.tag }] };
  await server.call("edit_doc", edit);
  expect(person.sent()).toEqual([
    CHECK,
    ["POST", "/api/llm/doc/edit", edit],
    ["GET", `/api/v1/nodes/${garden.tag}`],
  ]);
  person.forget();
  const leaves = "Projects(Kitchen & <hall>(paint #now!)) Other | a thought";
  await person.hasDone({ leaves });
});

test("[N69] the local MCP server itself looks into its copy of the outline", async ({
  server,
  person,
}) => {
  expect(await server.call("list_accounts")).toContain('"account_count": 1');
  expect(await server.call("reload_configuration")).toContain('"success": true');
  const found = await server.call("search_nodes", { query: "paint", include_completed: true });
  expect(found).toContain("Kitchen");
  expect(await server.call("delete_bookmark", { name: "plants" })).toContain("not found");
  const backups = await server.call("list_backups");
  const {
    backups: [backup],
  } = JSON.parse(backups) as { readonly backups: [{ id: string }] };
  const which = { backup_id: backup.id };
  expect(await server.call("restore_backup", which)).toContain('"restored_nodes"');
  await server.call("export_backup", { ...which, destination_path: join(person.home, "to") });
  await person.hasDone({ sends: () => [], leaves: BEFORE });
  const prompt = await server.client.getPrompt({ name: "server_instructions" });
  expect(prompt.messages).toHaveLength(1);
  await person.hasDone({ sends: () => [CHECK], leaves: BEFORE });
});

// The last one: it looks at what the others have called.
test("[N69] all tools were called that the local MCP server itself lists", async ({ server }) => {
  const { tools } = await server.client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([...called].toSorted());
});
