import type { Random } from "../../../src/core/node-key.ts";
import { form, OAuthPerson, type TokenAnswer } from "../../http/oauth-person.ts";
import { oneOf } from "../../support/seeded-random.ts";
import { nodeKeyIn, type KeyWorld, SECRET, secretOf, type Victim } from "./key-world.ts";
import { MCP_TOOLS_TRIED, mcpReads, mcpWrites, type McpCall, tool } from "./mcp-calls.ts";

/** What an OAuth client was given, and what of an outline it must not reach with it. */
interface Grant {
  readonly name: string;
  readonly token: string;
  readonly mayWrite: boolean;
  readonly isWhole: boolean;
  /** A node that it reaches. */
  readonly inside: string;
  /** Nodes that it does not, and what stands in them. */
  readonly outside: readonly string[];
  readonly secrets: readonly string[];
}

/** How a grant can end. */
const ENDINGS = [
  "an hour over",
  "revoked by its client",
  "revoked in the list",
  "the key of who agreed revoked",
  "user removed",
  "its time over",
] as const;

type Ending = (typeof ENDINGS)[number];

/** That no node has. */
const NOBODYS_KEY = "0123456789ab";
const TIME_S = 5;
const HOUR_MS = 3_600_000;

/**
 * What grants open: `/mcp`, where one that is read-only changes nothing, one with a root reaches nothing
 * beside it, and none reaches another user's nodes; and nothing any more once one has ended.
 * @param turn which ending is tried @returns what went wrong
 */
export async function tryGrants(
  world: KeyWorld,
  foreign: Victim,
  turn: number,
  random: Random,
): Promise<readonly string[]> {
  const victim = await world.newVictim(`granting-${turn}`);
  const person = await OAuthPerson.of(world.service, victim.key);
  const failures: string[] = [];
  for (const grant of await grantsOf(person, victim, foreign)) {
    failures.push(...(await tryGrant(world, victim, grant, random)));
  }
  const how = ENDINGS[turn % ENDINGS.length] ?? ENDINGS[0];
  failures.push(...(await endGrant(world, `ending-grant-${turn}`, how)));
  return failures;
}

/** A token that is good for all of an outline. */
export async function newToken({ service }: KeyWorld, { key }: Victim): Promise<TokenAnswer> {
  return (await OAuthPerson.of(service, key)).tokens({ scope: "write" });
}

async function grantsOf(
  person: OAuthPerson,
  { user, nodeIds: [above = "", root = "", inside = ""] }: Victim,
  foreign: Victim,
): Promise<readonly Grant[]> {
  const theirs = {
    outside: foreign.nodeIds,
    secrets: [
      ...foreign.nodeIds.map((_id, index) => secretOf(foreign.user, index)),
      ...foreign.nodeIds.map(nodeKeyIn),
    ],
  };
  const part = {
    outside: [...theirs.outside, above],
    secrets: [...theirs.secrets, secretOf(user, 0), nodeKeyIn(above)],
  };
  const grants: Grant[] = [];
  for (const mayWrite of [true, false]) {
    const scope = mayWrite ? "write" : "read";
    for (const [what, reach, root_id] of [
      ["all", theirs, undefined],
      ["a part", part, root],
    ] as const) {
      const { access_token: token } = await person.tokens({ scope, root_id });
      const name = `an access token to ${scope} ${what}`;
      grants.push({ name, token, mayWrite, isWhole: root_id === undefined, inside, ...reach });
    }
  }
  return grants;
}

async function tryGrant(
  world: KeyWorld,
  victim: Victim,
  grant: Grant,
  random: Random,
): Promise<readonly string[]> {
  const { name, token, mayWrite, isWhole, inside, outside, secrets } = grant;
  const failures: string[] = [];
  const before = await world.stateOf(victim);
  const ask = async (call: McpCall): Promise<Told> => {
    const told = await askMcp(world, token, call);
    const secret = secrets.find((each) => told.text.includes(each));
    if (secret !== undefined) failures.push(`${name} was told ${secret} by ${call.join(" ")}`);
    return told;
  };

  const tools = toolsIn(await ask(["tools/list", "{}"]));
  for (const each of tools) if (!MCP_TOOLS_TRIED.has(each)) failures.push(`not tried: ${each}`);
  if (tools.includes("outline_edit") !== mayWrite) failures.push(`${name} has other tools`);

  const id = oneOf(random, outside);
  const nobodys = `${id.slice(0, -NOBODYS_KEY.length)}${NOBODYS_KEY}`;
  const callsOf = (of: string) => [...mcpReads(of), ...mcpWrites(of, inside)];
  const others = callsOf(nobodys);
  for (const [index, call] of callsOf(id).entries()) {
    const told = await askMcp(world, token, call);
    const known = await askMcp(world, token, others[index] ?? call);
    if (!told.isRefused) failures.push(`${name} was answered to ${call.join(" ")}`);
    if (blank(told.text, id) !== blank(known.text, nobodys)) {
      failures.push(`${name} was answered otherwise than with nobody's: ${call.join(" ")}`);
    }
  }

  const looks = [
    tool("outline_read", {}),
    tool("outline_changes", {}),
    tool("outline_search", { query: SECRET }),
    ...mcpReads(inside),
  ];
  const today = await ask(tool("outline_today", {}));
  if (today.isRefused === isWhole) failures.push(`${name} is told of today: ${today.text}`);
  for (const call of looks) {
    if ((await ask(call)).isRefused) failures.push(`${name} was refused ${call.join(" ")}`);
  }
  if (!mayWrite) {
    for (const call of mcpWrites(inside, inside)) {
      if (!(await ask(call)).isRefused) failures.push(`${name} was answered to ${call.join(" ")}`);
    }
  }
  if ((await world.stateOf(victim)) !== before) failures.push(`${name} has changed something`);
  if (mayWrite) {
    const done = await ask(tool("outline_add", { text: "by its client", to: inside }));
    if (done.isRefused) failures.push(`${name} may not write`);
  }
  return failures;
}

async function endGrant(world: KeyWorld, name: string, how: Ending): Promise<readonly string[]> {
  const { service } = world;
  const { user, key } = await world.newVictim(name);
  const maker = await world.newKey(user);
  const person = await OAuthPerson.of(service, maker.key);
  const expiresAt = Math.floor(service.now() / 1000) + TIME_S;
  const known = new Set((await service.accounts.listKeys(user)).map(({ id }) => id));
  const tokens = await person.tokens(how === "its time over" ? { expiresAt } : {});
  const failures: string[] = [];
  const expect = async (what: string, token: string, expected: number): Promise<void> => {
    const { status } = await person.mcp(token);
    if (status !== expected) failures.push(`${how}: ${what} is answered ${status}`);
  };
  await expect("a token", tokens.access_token, 200);
  switch (how) {
    case "revoked by its client":
      await form(service, "/oauth/revoke", { token: tokens.refresh_token });
      break;
    case "revoked in the list": {
      const own = (await service.accounts.listKeys(user)).find(({ id }) => !known.has(id));
      await service.request("DELETE", `/api/v1/keys/${own?.id}`, undefined, { key });
      break;
    }
    case "the key of who agreed revoked":
      await service.accounts.revokeKey(user, maker.id);
      break;
    case "user removed":
      await service.accounts.removeUser(user);
      break;
    case "an hour over":
      world.advance(HOUR_MS);
      break;
    case "its time over":
      world.advance((TIME_S + 1) * 1000);
      break;
  }
  await expect("a token that has ended", tokens.access_token, 401);
  const refreshed = await person.refresh(tokens.refresh_token);
  if (how !== "an hour over") {
    if (refreshed.status !== 400) failures.push(`${how}: refreshed all the same`);
    return failures;
  }
  await expect("the next token", (refreshed.body as TokenAnswer).access_token, 200);
  return failures;
}

interface Told {
  readonly isRefused: boolean;
  readonly text: string;
}

async function askMcp({ service }: KeyWorld, key: string, call: McpCall): Promise<Told> {
  const [method, params] = call;
  const message = { jsonrpc: "2.0", id: 1, method, params: JSON.parse(params) as unknown };
  const { status, body } = await service.request("POST", "/mcp", message, { key });
  const { result } = body as { readonly result?: { readonly isError?: boolean } };
  const isRefused = status !== 200 || result === undefined || result.isError === true;
  return { isRefused, text: JSON.stringify(body) };
}

function toolsIn({ text }: Told): readonly string[] {
  const { result } = JSON.parse(text) as {
    readonly result: { readonly tools: readonly { readonly name: string }[] };
  };
  return result.tools.map(({ name }) => name);
}

/** What was said, but for the id that was asked for. */
function blank(text: string, id: string): string {
  return text.replaceAll(id, "").replaceAll(nodeKeyIn(id), "");
}
