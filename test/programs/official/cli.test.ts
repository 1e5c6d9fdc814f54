import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { CLI_COMMANDS } from "../cli-commands.ts";
import { BEFORE, type Places, type Recorded, type Sent } from "../recorded.ts";
import { PLAYS } from "./cli-plays.ts";
import { ACCOUNT, ran, test } from "./wf.ts";

test.for(CLI_COMMANDS)(
  "[N69] the command line tool itself does `$command`",
  async (recorded, { wf, person }) => {
    const play = PLAYS[recorded.command] ?? (() => wf.runAll(recorded.command));
    await play({ wf, person, at: person.at });
    await person.hasDone({ leaves: BEFORE, ...recorded });
  },
);

const TARGETS: Sent = ["GET", "/api/v1/targets"];
const EXPORT: Sent = ["GET", "/api/v1/nodes-export"];

/** What `sync` sends. */
function syncSends(at: Places): readonly Sent[] {
  return CLI_COMMANDS.find(({ command }) => command === "sync")?.sends(at) ?? [];
}

/** Lines that a person with a copy of the outline types, and what they print. */
interface Scene extends Pick<Recorded, "leaves"> {
  readonly lines: readonly (readonly [line: string, prints: RegExp])[];
  /** Nothing when not given. */
  readonly sends?: Recorded["sends"];
}

const SCENES: Readonly<Record<string, Scene>> = {
  "look into its copy of the outline": {
    lines: [
      ["find Garden", /Garden/],
      ["context GARDEN", /Projects[^]*Kitchen & <hall>[^]*dig/],
      ["todos", /Garden/],
      ["todos --completed", /paint #now/],
      ["tags", /#now/],
      ["search paint", /paint #now/],
      ["read @inbox", /a thought/],
      ["read @work/Garden", /dig/],
      ["history", /Inbox/],
    ],
  },
  "keep bookmarks": {
    lines: [
      ["bookmark:save plants GARDEN --context 'what grows'", /@plants/],
      ["bookmark:list", /@plants[^]*what grows/],
      ["read @plants", /dig/],
      ["targets", /plants/],
    ],
  },
  "keep templates": {
    lines: [
      ["template save rooms --from PROJECTS.id", /saved/],
      ["template list", /rooms/],
      ["template apply rooms --to OTHER", /applied/],
      ["template delete rooms", /deleted/],
    ],
    sends: ({ other: { tag } }) => [
      [
        "POST",
        "/api/llm/doc/edit",
        {
          root: tag,
          operations: [
            {
              op: "insert",
              under: tag,
              items: [
                {
                  n: "Projects",
                  d: "all of them",
                  l: "bullets",
                  c: [
                    { n: "Garden", d: "in spring", l: "todo", c: [{ n: "dig", l: "bullets" }] },
                    {
                      n: "Kitchen &amp; <hall>",
                      l: "h2",
                      c: [{ n: "paint #now", l: "todo" }],
                    },
                  ],
                },
              ],
              position: "top",
            },
          ],
        },
      ],
    ],
    leaves:
      "Projects(Garden(dig) Kitchen & <hall>(paint #now!)) Other(Projects(Garden(dig) Kitchen & <hall>(paint #now))) | a thought",
  },
  "keep settings": {
    lines: [
      ["config:set api.timeoutSeconds 20", /20/],
      ["config:get api.timeoutSeconds", /20/],
      ["config:alias set plants 'find Garden'", /plants/],
      ["config:alias list", /find Garden/],
      ["plants", /Garden/],
      ["config:alias remove plants", /Removed/],
    ],
  },
  "run workflows": {
    lines: [
      ["workflow:create daily", /daily\.yaml/],
      ["workflow:list", /daily/],
      ["workflow:run daily", /step-2/],
    ],
  },
  "look at itself": {
    lines: [
      ["completions install --shell bash", /Installed/],
      ["version", /3\.3\.1/],
      ["self:update --check", /7fd246e/],
      ["sync --status", /Nodes:/],
      ["watch:status", /not running/],
      ["doctor", /Public API \(production\): http/],
      ["status", /Ready: ready/],
      ["auth status", /Ready: ready/],
    ],
    sends: () => [TARGETS, TARGETS, TARGETS],
  },
};

test.for(Object.entries(SCENES))(
  "[N69] the command line tool itself has commands that %s",
  async ([, { lines, ...done }], { wf, person }) => {
    await wf.sync();
    for (const [line, prints] of lines) expect(await wf.run(line)).toMatch(prints);
    await person.hasDone({ sends: () => [], leaves: BEFORE, ...done });
  },
);

test("[N69] the command line tool itself adds to a day that it knows from its copy", async ({
  wf,
  person,
}) => {
  await wf.sync();
  const printed: unknown = JSON.parse(await wf.run("add @tomorrow 'a plan' --agent"));
  expect(printed).toMatchObject({ write_verified: true, created_node_text: "a plan" });
  expect(await wf.run("read @tomorrow --live")).toContain("a plan");
  expect(person.sent()).toHaveLength(4);
});

test("[N69] the command line tool itself serves several accounts", async ({ wf, person }) => {
  const { key: token } = person;
  const accounts = { default: { name: "default", token }, second: { name: "second", token } };
  await wf.write("config.json", { activeAccount: "second", accounts });
  expect(await wf.run("account:list")).toMatch(/default[^]*second/);
  expect(await wf.run("account:current")).toContain("second");
  await wf.run("account:switch default");
  expect(await wf.run("account:current")).toContain("default");
  expect(await wf.run("sync --all-accounts")).toMatch(/default: \d+ nodes[^]*second: \d+ nodes/);
  await person.hasDone({ sends: (at) => [...syncSends(at), ...syncSends(at)], leaves: BEFORE });
});

test("[N69] the command line tool itself copies the outline in the background", async ({
  wf,
  person,
}) => {
  await wf.run("sync --watch");
  const sends = syncSends(person.at);
  await vi.waitFor(() => expect(person.sent()).toHaveLength(sends.length), { timeout: 30_000 });
  expect(await wf.run("sync --status")).toContain("running");
  expect(await wf.run("sync --stop")).toContain("stopped");
  await person.hasDone({ sends: () => sends, leaves: BEFORE });
});

test("[N69] the command line tool itself watches the outline in the background", async ({
  wf,
  person,
}) => {
  const watch = wf.start("watch:start --interval 1h");
  await vi.waitFor(() => expect(person.sent()).toHaveLength(1), { timeout: 30_000 });
  // As it writes it itself on a terminal.
  await wf.write(`watch-${ACCOUNT}.pid`, watch.pid);
  expect(await wf.run("watch:status")).toContain(`PID ${watch.pid}`);
  await Promise.all([once(watch, "close"), wf.run("watch:stop")]);
  await person.hasDone({ sends: () => [EXPORT], leaves: BEFORE });
});

test("[N69] the command line tool itself calls webhooks", async ({ wf, person, elsewhere }) => {
  await wf.run(`webhook:create --url ${elsewhere.url} --filter tag:#now`);
  const kept = await readFile(join(wf.config, "webhooks.json"), "utf8");
  const [{ id }] = JSON.parse(kept) as [{ readonly id: string }];
  expect(await wf.run("webhook:list")).toContain(id);
  await wf.run(`webhook:test ${id}`);
  expect(elsewhere.got).toMatchObject([{ webhook_id: id }]);
  await wf.run(`webhook:delete ${id}`);
  await person.hasDone({ sends: () => [], leaves: BEFORE });
});

test("[N69] the command line tool itself proposes what a model says", async ({
  wf,
  person,
  elsewhere,
}) => {
  await wf.sync();
  await wf.useModel(elsewhere.url);
  for (const [line, prints] of [
    ["search paint --smart", /paint #now/],
    ["ai:propose 'tidy the garden'", /Less to do/],
    ["ai:list", /Less to do/],
    ["ai:preview", /Less to do/],
    ["ai:reject", /rejected/],
  ] as const)
    expect(await wf.run(line)).toMatch(prints);
  expect(elsewhere.got).toHaveLength(2);
  await person.hasDone({ sends: () => [], leaves: BEFORE });
});

test("[N69] the command line tool itself takes a mirror away, and not its origin", async ({
  wf,
  person,
}) => {
  const printed = await wf.run("--beta --agent mirror:create GARDEN OTHER");
  const { mirror } = JSON.parse(printed) as { readonly mirror: { readonly id: string } };
  person.forget();
  await wf.run(`--beta mirror:remove ${mirror.id} --yes`);
  const sends = (): readonly Sent[] => [["DELETE", `/api/v1/nodes/${mirror.id}/mirror`]];
  await person.hasDone({ sends, leaves: BEFORE });
});

/** The tools of `wf mcp`, with what they are given; `workflowy_mirror_remove` gets the mirror made. */
const TOOLS: readonly (readonly [
  names: readonly string[],
  input?: (at: Places) => Readonly<Record<string, unknown>>,
])[] = [
  [["status"]],
  [["workflowy_sync", "sync"]],
  [["save_bookmark"], ({ garden }) => ({ name: "plants", target: garden.tag })],
  [["list_bookmarks", "bookmarks"]],
  [["workflowy_targets", "targets"]],
  [["workflowy_find", "find"], () => ({ query: "Garden" })],
  [["workflowy_search", "search"], () => ({ query: "paint" })],
  [["workflowy_todos", "workflowy_tags"]],
  [["workflowy_context", "context"], ({ garden }) => ({ nodeId: garden.tag })],
  [["workflowy_read", "read"], () => ({ target: "@work" })],
  [["workflowy_add", "add"], () => ({ to: "@work", text: "one more" })],
  [["workflowy_update", "update"], ({ garden }) => ({ nodeId: garden.tag, text: "Plants" })],
  [["workflowy_complete", "complete"], ({ garden }) => ({ nodeId: garden.tag })],
  [["workflowy_move", "move"], ({ dig, kitchen }) => ({ nodeId: dig.tag, to: kitchen.tag })],
  [["workflowy_batch", "batch"], ({ paint }) => ({ ops: [{ op: "uncomplete", ref: paint.tag }] })],
  [
    ["edit_doc", "workflowy_edit_doc"],
    ({ other }) => ({
      root: other.tag,
      operations: [{ op: "insert", under: other.tag, items: [{ n: "in", c: [{ n: "deep" }] }] }],
    }),
  ],
  [["workflowy_propose"], () => ({ instruction: "tidy the garden" })],
  [["workflowy_mirror_info"], ({ garden }) => ({ nodeId: garden.tag })],
  [["workflowy_mirror_create"], ({ dig, other }) => ({ nodeId: dig.tag, to: other.tag })],
  [["workflowy_mirror_remove"], () => ({ confirm: true })],
];

test("[N69] the command line tool itself does all its tools for an assistant", async ({
  wf,
  person,
  elsewhere,
}) => {
  await wf.useModel(elsewhere.url);
  await wf.run("config:set api.environment beta");
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport(wf.commandOf("mcp")));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    TOOLS.flatMap(([names]) => names).toSorted(),
  );
  let mirror: object = {};
  for (const [names, input = () => ({})] of TOOLS)
    for (const name of names) {
      const call = { name, arguments: { ...mirror, ...input(person.at) } };
      const { isError, content } = await client.callTool(call);
      expect([name, isError, content]).toEqual([name, false, content]);
      const [first] = content;
      if (name === "workflowy_mirror_create" && first?.type === "text")
        mirror = { nodeId: (JSON.parse(first.text) as { mirror: { id: string } }).mirror.id };
    }
  await client.close();
  await person.hasDone({
    leaves:
      "Projects(Plants! Kitchen & <hall>(dig paint #now) one more one more) Other(in(deep) in(deep)) | a thought",
  });
});

test("[N69] the command line tool itself serves assistants over HTTP", async ({ wf, person }) => {
  const port = await freePort();
  wf.start(`mcp --port ${port}`);
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const client = await vi.waitFor(
    async () => {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StreamableHTTPClientTransport(url));
      return client;
    },
    { timeout: 30_000 },
  );
  const call = { name: "read", arguments: { target: "@work", live: true } };
  const { isError, content } = await client.callTool(call);
  expect([isError, content]).toEqual([
    false,
    [{ type: "text", text: expect.stringContaining("Kitchen & <hall>") as string }],
  ]);
  await client.close();
  await person.hasDone({ leaves: BEFORE });
});

// The last one: it looks at what the others have run.
test("[N69] all commands were run that the command line tool itself lists", async ({ wf }) => {
  const [, listed = ""] = (await wf.run("--help")).split("Commands:");
  const names = [...listed.matchAll(/^ {2}([a-z][\w:|-]*)/gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(40);
  const isRun = (name: string): boolean => name.split("|").some((word) => ran.has(word));
  expect(names.filter((name) => name !== "help" && !isRun(name))).toEqual([]);
});
