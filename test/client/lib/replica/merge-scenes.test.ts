import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { splitNode } from "../../../../client/lib/edit/name-surgery.ts";
import { nodeIdOf, type NodeKey, type OutlineId, ROOT } from "../../../../src/core/node-key.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../../src/core/schema.ts";
import { connectStockClient } from "../../../e2e/stock-client.ts";
import { keyOf, plant, shape } from "../../../support/outline-notation.ts";
import { until } from "../../../support/socket-until.ts";
import { TcpProxy } from "../../../support/tcp-proxy.ts";
import { ReplicaLab } from "./lab.ts";

/** Somebody's device, with a network of its own that is there or not. */
interface Person {
  readonly outline: Outline;
  /** What it had of the log when it was last there. */
  seen(): number;
  /** From now on nothing that it does is known elsewhere, and the other way round. */
  leave(): void;
  /** Resolves when the server has all that it did. */
  comeBack(): Promise<void>;
}

type Act = (who: { readonly outline: Outline; readonly seen: number }, at: At) => void;
type At = (line: string) => NodeKey;
/** A request: method, what stands behind `/api/v1/nodes`, and the body. */
type Ask = (at: At, id: (line: string) => string) => readonly [string, string, object?];

interface Scene {
  /** As in the table of `docs/SPEC.md`. */
  readonly what: string;
  readonly lines: string;
  /** What all know of. */
  readonly before?: Act;
  /** One behind the other, while nobody knows what the others do. */
  readonly acts: readonly (readonly ["one" | "two", Act] | readonly ["rest", Ask])[];
  /** What all see in the end: of the outline, and behind the line what is in the trash. */
  readonly wanted: string;
  readonly shows?: (outline: Outline, at: At) => string;
  /** When they have met, the first of them does this. */
  readonly afterwards?: { readonly act: Act; readonly wanted: string };
}

const rename =
  (line: string, name: string): Act =>
  ({ outline }, at) =>
    void outline.update(at(line), { name });
const move =
  (line: string, parent: string): Act =>
  ({ outline }, at) =>
    void outline.move(at(line), { parent: at(parent) });
const trash =
  (line: string): Act =>
  ({ outline, seen }, at) =>
    void outline.trash(at(line), seen);
const restore =
  (line: string): Act =>
  ({ outline }, at) =>
    void outline.restore(at(line));
const add =
  (line: string, parent: string): Act =>
  ({ outline }, at) =>
    void plant(outline, line, at(parent));
const layout =
  (line: string, as: "h1" | "h2"): Act =>
  ({ outline }, at) =>
    void outline.update(at(line), { layout: as });
const split =
  (line: string, place: number): Act =>
  ({ outline }, at) => {
    const key = at(line);
    const to = { parent: ROOT, position: { after: key } };
    outline.doc.transact(() => splitNode(outline, key, place, to));
  };
const complete =
  (line: string): Act =>
  ({ outline }, at) =>
    void outline.setCompleted(at(line), true);
const append =
  (line: string, text: string): Act =>
  ({ outline }, at) =>
    void outline.editText(at(line), "name", (name) => name.insert(name.length, text));
const discard =
  (line: string): Act =>
  ({ outline, seen }, at) =>
    void outline.discard(at(line), seen);
const deleted =
  (line: string): Ask =>
  (_, id) => ["DELETE", `/${id(line)}`];
const told =
  (line: string, body: object): Ask =>
  (_, id) => ["POST", `/${id(line)}`, body];

const did =
  (line: string, what: "complete" | "uncomplete"): Ask =>
  (_, id) => ["POST", `/${id(line)}/${what}`];
const moved =
  (line: string, parent: string): Ask =>
  (_, id) => ["POST", `/${id(line)}/move`, { parent_id: id(parent) }];

const layoutOfX: Scene["shows"] = (outline, at) => outline.node(at("x"))?.layout ?? "none";
const isDone: Scene["shows"] = (outline, at) =>
  outline.node(at("x"))?.completedAt === null ? "open" : "done";
/** Words that two wrote in one place stand in the order of their client ids. */
const words: Scene["shows"] = (outline) => shape(outline).split(" ").toSorted().join(" ");

const SCENES: readonly Scene[] = [
  {
    what: "[D72] move, delete for good",
    lines: "x y",
    acts: [
      ["one", move("x", "y")],
      ["rest", deleted("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] trash, delete for good",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["rest", deleted("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] trash and restore, delete for good",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["rest", deleted("x")],
      ["one", restore("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D72] restore, delete for good from the trash",
    lines: "x y",
    before: trash("x"),
    acts: [
      ["one", discard("x")],
      ["two", restore("x")],
    ],
    wanted: "y |",
  },
  {
    what: "[D32] add below, delete for good",
    lines: "x y",
    acts: [
      ["one", add("new", "x")],
      ["rest", deleted("x")],
    ],
    wanted: "new y |",
  },
  {
    what: "[D31] move out of, delete for good",
    lines: "x(a) y",
    acts: [
      ["rest", deleted("x")],
      ["one", move("a", "y")],
    ],
    wanted: "y(a) |",
  },
  {
    what: "[D90] text, delete for good",
    lines: "x y",
    acts: [
      ["one", append("x", "tra")],
      ["rest", deleted("x")],
    ],
    wanted: "y | tra",
  },
  {
    what: "[D32, D92] add below, trash; then it is restored",
    lines: "x y",
    acts: [
      ["one", trash("x")],
      ["two", add("new", "x")],
    ],
    wanted: "new y | x",
    afterwards: { act: restore("x"), wanted: "x(new) y |" },
  },
  {
    what: "[D33] move, trash",
    lines: "x y",
    acts: [
      ["one", move("x", "y")],
      ["two", trash("x")],
    ],
    wanted: "y(x) |",
  },
  {
    what: "[D70] trash, restore",
    lines: "x y",
    before: trash("x"),
    acts: [
      ["one", restore("x")],
      ["two", restore("x")],
      ["two", trash("x")],
    ],
    wanted: "y | x",
  },
  {
    what: "[D70] layout on a device, then over REST",
    lines: "x",
    acts: [
      ["one", layout("x", "h1")],
      ["rest", told("x", { layoutMode: "h2" })],
    ],
    wanted: "h2",
    shows: layoutOfX,
  },
  {
    what: "[D70] layout over REST, then on a device",
    lines: "x",
    acts: [
      ["rest", told("x", { layoutMode: "h2" })],
      ["one", layout("x", "h1")],
    ],
    wanted: "h1",
    shows: layoutOfX,
  },
  {
    what: "[D70] layout on two devices",
    lines: "x",
    acts: [
      ["two", layout("x", "h1")],
      ["one", layout("x", "h2")],
    ],
    wanted: "h2",
    shows: layoutOfX,
  },
  {
    what: "[D71] complete on a device, then reopened over REST",
    lines: "x",
    acts: [
      ["one", complete("x")],
      ["rest", did("x", "complete")],
      ["rest", did("x", "uncomplete")],
    ],
    wanted: "open",
    shows: isDone,
  },
  {
    what: "[D80] the same text on two devices",
    lines: "Kotte",
    acts: [
      ["one", rename("Kotte", "Kotti")],
      ["two", rename("Kotte", "Kotti")],
    ],
    wanted: "Kotti |",
  },
  {
    what: "[D80] the same text on a device and over REST",
    lines: "Kotte",
    acts: [
      ["one", rename("Kotte", "Kotti")],
      ["rest", told("Kotte", { name: "Kotti" })],
    ],
    wanted: "Kotti |",
  },
  {
    what: "[D83] another word on two devices",
    lines: "Tuesday",
    acts: [
      ["one", rename("Tuesday", "Wednesday")],
      ["two", rename("Tuesday", "Thursday")],
    ],
    wanted: "Thursday Wednesday",
    shows: words,
  },
  {
    what: "[D83] another word on a device and over REST",
    lines: "Tuesday",
    acts: [
      ["one", rename("Tuesday", "Wednesday")],
      ["rest", told("Tuesday", { name: "Thursday" })],
    ],
    wanted: "Thursday Wednesday",
    shows: words,
  },
  {
    what: "[D82] split, split: the second line of the two is in the trash",
    lines: "onetwo",
    acts: [
      ["one", split("onetwo", 3)],
      ["two", split("onetwo", 3)],
    ],
    wanted: "one two | two",
  },
  {
    what: "[D52] split, text over REST",
    lines: "onetwo",
    acts: [
      ["one", split("onetwo", 3)],
      ["rest", told("onetwo", { name: "oonetwo" })],
    ],
    wanted: "oone two |",
  },
  {
    what: "[D22] moves into each other: the later did not happen",
    lines: "a b c",
    acts: [
      ["one", move("a", "b")],
      ["two", move("b", "a")],
    ],
    wanted: "b(a) c |",
  },
  {
    what: "[D21] move, move over REST",
    lines: "x y z",
    acts: [
      ["one", move("x", "y")],
      ["rest", moved("x", "z")],
    ],
    wanted: "y z(x) |",
  },
  {
    what: "[D21] move, move on two devices",
    lines: "x y z",
    acts: [
      ["two", move("x", "y")],
      ["one", move("x", "z")],
    ],
    wanted: "y z(x) |",
  },
];

const linesAndTrash: NonNullable<Scene["shows"]> = (outline) => {
  const names = outline.trashedKeys().map((key) => textOf(nodesOf(outline.doc), key)?.toJSON());
  return `${shape(outline)} | ${names.join()}`.trim();
};

/** A device with the client library. */
async function withLibrary(lab: ReplicaLab, network: TcpProxy): Promise<Person> {
  const replica = await lab.open({ url: network.url });
  await replica.caughtUp();
  return {
    get outline() {
      return replica.outline;
    },
    seen: () => replica.seq,
    leave: () => network.reset(),
    async comeBack() {
      await network.pass();
      replica.connect();
      await replica.saved();
    },
  };
}

/** A page with y-websocket alone, by the same rules for nodes. */
async function withYWebsocket(lab: ReplicaLab, network: TcpProxy): Promise<Person> {
  const client = connectStockClient(network.url, lab.service.key);
  onTestFinished(() => client.leave());
  const { outline, provider } = client;
  await until(() => provider.synced, "the first sync");
  const seen = await headOf(lab);
  return {
    outline,
    seen: () => seen,
    leave: () => provider.disconnect(),
    async comeBack() {
      provider.connect();
      await until(() => provider.synced, "the sync");
    },
  };
}

const KINDS = { library: withLibrary, "y-websocket": withYWebsocket };

async function outlineIdOf({ service }: ReplicaLab): Promise<OutlineId> {
  const principal = await service.accounts.authenticate(service.key);
  if (principal === undefined) throw new Error("the key is good");
  return principal.outline;
}

async function headOf(lab: ReplicaLab): Promise<number> {
  const id = await outlineIdOf(lab);
  return lab.service.documents.use(id, ({ head }) => head);
}

async function networkOf({ service }: ReplicaLab): Promise<TcpProxy> {
  const network = await TcpProxy.start(Number(new URL(service.url).port));
  onTestFinished(() => network.stop());
  return network;
}

/** So that "later" is later by every clock. */
const A_MOMENT_MS = 5;

async function play(scene: Scene, kind: keyof typeof KINDS, isReversed: boolean): Promise<void> {
  const lab = await ReplicaLab.start();
  onTestFinished(() => lab.close());
  const id = await outlineIdOf(lab);
  let keys = {};
  await lab.write((outline) => (keys = plant(outline, scene.lines)));
  const at: At = (line) => keyOf(keys, line);
  if (scene.before !== undefined) {
    const { before } = scene;
    const seen = await headOf(lab);
    await lab.write((outline) => before({ outline, seen }, at));
  }
  const [one, two] = [
    await KINDS[kind](lab, await networkOf(lab)),
    await KINDS[kind](lab, await networkOf(lab)),
  ];
  for (const person of [one, two]) person.leave();
  for (const [who, act] of scene.acts) {
    await delay(A_MOMENT_MS);
    if (who === "rest") {
      const [method, path, body] = act(at, (line) => nodeIdOf(id, at(line)));
      const { status } = await lab.service.request(method, `/api/v1/nodes${path}`, body);
      expect(status).toBe(200);
    } else {
      const person = who === "one" ? one : two;
      act({ outline: person.outline, seen: person.seen() }, at);
    }
  }
  for (const person of isReversed ? [two, one] : [one, two]) await person.comeBack();

  const { shows = linesAndTrash, afterwards } = scene;
  const everywhere = async (): Promise<readonly string[]> => {
    const { documents } = lab.service;
    const there = await documents.use(id, (document) =>
      document.read((outline) => shows(outline, at)),
    );
    return [there, ...[one, two].map(({ outline }) => shows(outline, at))];
  };
  const allSee = (wanted: string): Promise<unknown> =>
    expect.poll(everywhere, { timeout: 15_000 }).toEqual([wanted, wanted, wanted]);
  await allSee(scene.wanted);
  if (afterwards === undefined) return;
  afterwards.act({ outline: one.outline, seen: one.seen() }, at);
  await allSee(afterwards.wanted);
}

const PLAYED = SCENES.flatMap((scene) =>
  (["library", "y-websocket"] as const).flatMap((kind) =>
    [false, true].map((isReversed) => [scene.what, kind, isReversed, scene] as const),
  ),
);

test.each(PLAYED)("%s: by %s, the second comes first: %s", async (_, kind, isReversed, scene) => {
  await play(scene, kind, isReversed);
});
