import { type KeyWorld, nodeKeyIn, SECRET, type Victim } from "./key-world.ts";

/** What a key that is limited to a part must not reach through mirrors, and what it must. */
interface Fence {
  readonly victim: Victim;
  /** All that the key reaches, a node in it, and a mirror there of what is outside. */
  readonly root: string;
  readonly inner: string;
  readonly mirror: string;
  /** Outside: what the mirror is of, a child of that, and a mirror there of the node within. */
  readonly outside: string;
  readonly child: string;
  readonly away: string;
}

/** What is looked at of a node to see whether it was changed. */
interface Told {
  readonly id: string;
  readonly name: string;
  readonly note: string | null;
  readonly completed: boolean;
}

type Attempt = readonly [method: string, path: string, body?: unknown];

/**
 * A key that is limited to a part of an outline, in which there is a mirror of something outside, and
 * of which there is one outside: what is outside is neither told nor changed, in whatever way it is
 * tried. @returns what went wrong
 */
export async function tryThroughMirrors(world: KeyWorld, name: string): Promise<readonly string[]> {
  const { service } = world;
  const fence = await fenceOf(world, name);
  const { victim, root, mirror, inner, away, outside, child } = fence;
  const failures: string[] = [];
  const { key: reader } = await world.newKey(victim.user, {
    root: nodeKeyIn(root),
    scope: "read",
  });
  const { key: writer } = await world.newKey(victim.user, { root: nodeKeyIn(root) });
  const ask = ([method, path, body]: Attempt, key: string) =>
    service.request(method, path.startsWith("/api") ? path : `/api/v1${path}`, body, { key });
  const outsideNow = async (): Promise<string> => {
    const { body: top } = await ask(["GET", `/nodes/${outside}`], victim.key);
    const { body: below } = await ask(["GET", `/nodes?parent_id=${outside}`], victim.key);
    const nodes = [(top as { node: Told }).node, ...(below as { nodes: Told[] }).nodes];
    return nodes.map((node) => [node.id, node.name, node.note, node.completed].join()).join("\n");
  };
  const before = await outsideNow();
  const secrets = [SECRET, ...[outside, child, away].map(nodeKeyIn)];
  const told = (attempt: Attempt, body: unknown): void => {
    const text = JSON.stringify(body ?? null);
    const secret = secrets.find((each) => text.includes(each));
    if (secret !== undefined) failures.push(`${attempt.join(" ")} tells ${secret}`);
  };

  for (const key of [reader, writer]) {
    for (const attempt of readsIn(fence)) {
      const { status, body } = await ask(attempt, key);
      told(attempt, body);
      if (status >= 500) failures.push(`${attempt.join(" ")}: ${status}`);
    }
    for (const id of [outside, child, away]) {
      const { status } = await ask(["GET", `/nodes/${id}`], key);
      if (status !== 404) failures.push(`what is outside is answered ${status}`);
    }
  }
  for (const attempt of [...writesIn(fence), ...mirrorsIn(fence)]) {
    const { status, body } = await ask(attempt, reader);
    if (status !== 403) failures.push(`a reader's ${JSON.stringify(attempt)}: ${status}`);
    told(attempt, body);
  }
  for (const attempt of writesIn(fence)) {
    const { status, body } = await ask(attempt, writer);
    if (status !== 404 && status !== 409) failures.push(`${JSON.stringify(attempt)}: ${status}`);
    told(attempt, body);
  }
  if ((await outsideNow()) !== before) failures.push("what is outside was changed");
  for (const attempt of mirrorsIn(fence)) {
    const { status, body } = await ask(attempt, writer);
    if (status !== 200) failures.push(`${JSON.stringify(attempt)}: ${status}`);
    told(attempt, body);
  }
  const { status } = await ask(["GET", `/nodes/${mirror}`], victim.key);
  if (status !== 404) failures.push("a mirror was not removed");
  const { body } = await ask(["GET", `/nodes/${away}`], victim.key);
  if (!JSON.stringify(body).includes(inner)) failures.push("a mirror outside is none any more");
  if ((await outsideNow()) !== before) failures.push("what is outside was changed");
  return failures;
}

async function fenceOf(world: KeyWorld, name: string): Promise<Fence> {
  const { service } = world;
  const victim = await world.newVictim(name);
  const post = async (path: string, body: unknown): Promise<string> => {
    const { body: made } = await service.request("POST", `/api/v1/nodes${path}`, body, victim);
    return (made as { readonly item_id: string }).item_id;
  };
  const root = await post("", { name: "all" });
  const inner = await post("", { name: "inner", parent_id: root });
  const outside = await post("", { name: SECRET, note: SECRET });
  const child = await post("", { name: SECRET, parent_id: outside });
  const mirror = await post(`/${outside}/mirror`, { parent_id: inner });
  const away = await post(`/${inner}/mirror`, { parent_id: outside });
  return { victim, root, inner, mirror, outside, child, away };
}

/** All ways to read what the key reaches. */
function readsIn({ root, inner, mirror }: Fence): readonly Attempt[] {
  const reads = [
    ...[root, inner, mirror].flatMap((id) => [
      `/nodes/${id}`,
      `/nodes?parent_id=${id}`,
      `/nodes/${id}/tree?depth=all`,
      `/nodes/${id}/tree?depth=all&fields=name,note,modifiedAt`,
      `/nodes/${id}/backlinks`,
      `/nodes-export?root=${id}`,
      `/search?q=-nothing&root=${id}&include=path,count,spans`,
      `/search?q=${SECRET}&root=${id}`,
      `/api/llm/doc/read/${id}/?depth=9`,
    ]),
    "/nodes",
    "/nodes-export",
    `/search?q=${SECRET}`,
    "/search?q=-nothing&sort=modified",
    "/targets",
    "/api/llm/doc/read/None/?depth=9",
  ];
  return reads.map((path) => ["GET", path] as const);
}

/** All ways to change something outside, or to learn what is there. */
function writesIn({ inner, mirror, outside, child, away }: Fence): readonly Attempt[] {
  const operations: readonly object[] = [
    { op: "update", id: mirror, name: "changed" },
    { op: "update", id: mirror, note: "" },
    { op: "complete", id: mirror },
    { op: "uncomplete", id: mirror },
    { op: "create", parent_id: mirror, name: "new" },
    { op: "create", position: { after: child }, name: "new" },
    { op: "move", id: inner, parent_id: mirror },
    { op: "move", id: mirror, position: { before: child } },
    { op: "move", id: mirror, position: "top", expect: { name: SECRET } },
    { op: "move", id: mirror, position: "top", expect: { parent_id: outside } },
    { op: "delete", id: child },
    { op: "mirror", id: mirror, parent_id: inner },
    { op: "mirror", id: outside, parent_id: inner },
    { op: "mirror", id: inner, parent_id: mirror },
    { op: "mirror", id: inner, parent_id: outside },
    { op: "mirror", id: inner, position: { after: away } },
    { op: "remove_mirror", id: away },
  ];
  const edits: readonly object[] = [
    { op: "update", ref: mirror, to: { n: "changed" } },
    { op: "update", ref: mirror, to: { x: 1 } },
    { op: "insert", under: mirror, items: [{ n: "new" }] },
    { op: "insert", after: child, items: [{ n: "new" }] },
    { op: "move", ref: inner, under: mirror },
    { op: "delete", ref: away },
  ];
  return [
    ["POST", `/nodes/${mirror}`, { name: "changed" }],
    ["POST", `/nodes/${mirror}`, { layoutMode: "todo" }],
    ["POST", `/nodes/${mirror}/complete`],
    ["POST", `/nodes/${mirror}/uncomplete`],
    ["POST", "/nodes", { parent_id: mirror, name: "new" }],
    ["POST", "/nodes", { position: { before: child }, name: "new" }],
    ["POST", `/nodes/${inner}/move`, { parent_id: mirror }],
    ["POST", `/nodes/${mirror}/move`, { position: { after: child } }],
    ["POST", `/nodes/${mirror}/mirror`, { parent_id: inner }],
    ["POST", `/nodes/${outside}/mirror`, { parent_id: inner }],
    ["POST", `/nodes/${inner}/mirror`, { parent_id: mirror }],
    ["POST", `/nodes/${inner}/mirror`, { parent_id: outside }],
    ["POST", `/nodes/${inner}/mirror`, { position: { before: away } }],
    ["DELETE", `/nodes/${away}/mirror`],
    ["DELETE", `/nodes/${outside}/mirror`],
    ...operations.map((each) => ["POST", "/batch", { operations: [each] }] as const),
    ...edits.map((each) => ["POST", "/api/llm/doc/edit", { operations: [each] }] as const),
  ];
}

/** What the key may do with the mirror: move it, and make and remove others of what it reaches. */
function mirrorsIn({ root, inner, mirror }: Fence): readonly Attempt[] {
  return [
    ["POST", `/nodes/${mirror}/move`, { parent_id: root, position: "bottom" }],
    ["POST", `/nodes/${inner}/mirror`, { parent_id: root, position: "bottom" }],
    ["POST", "/batch", { operations: [{ op: "mirror", id: inner, position: { after: mirror } }] }],
    ["DELETE", `/nodes/${mirror}/mirror`],
  ];
}
