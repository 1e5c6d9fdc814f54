import { expect, onTestFinished, test } from "vitest";
import { nodeIdOf, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { ReplicaLab } from "../lib/replica/lab.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { clockAhead } from "../../support/clock-ahead.ts";
import { keyOf, plant, shape } from "../../support/outline-notation.ts";
import { permutationsOf } from "../../support/permutations.ts";
import { runs } from "../../support/runs.ts";
import { until } from "../../support/socket-until.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

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

/** The key of a line that all know. */
export type At = (line: string) => NodeKey;
/** What somebody does in a replica. */
export type Act = (who: { readonly outline: Outline; readonly seen: number }, at: At) => void;
/** A request: method, what stands behind `/api/v1`, and the body. */
export type Ask = (
  at: At,
  id: (line: string) => string,
) => readonly [method: string, path: string, body?: object];
/** What is seen of an outline. */
export type Shows = (outline: Outline, at: At) => string;

export interface Scene {
  /** As in the table of `docs/SPEC.md`. */
  readonly what: string;
  readonly lines: string;
  /** What all know of. */
  readonly before?: Act;
  /** One behind the other, while nobody knows what the others do. */
  readonly acts: readonly (readonly ["one" | "two" | "three", Act] | readonly ["rest", Ask])[];
  /** What all see in the end: of the outline, and behind the line what is in the trash. */
  readonly wanted: string;
  readonly shows?: Shows;
  /** How long after each other they act, by everybody's clock: "later" is later. */
  readonly apartMs?: number;
  /** When they have met, the first of them does this. */
  readonly afterwards?: { readonly act: Act; readonly wanted: string };
}

/** The top level with what is below it, and what is in the trash. */
const linesAndTrash: Shows = (outline) => {
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
type Kind = keyof typeof KINDS;

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

const A_MOMENT_MS = 5;
const NAMES = ["one", "two", "three"] as const;

/** @param order in which they come back */
async function play(scene: Scene, kinds: readonly Kind[], order: readonly number[]): Promise<void> {
  const { before, acts, apartMs = A_MOMENT_MS, shows = linesAndTrash, afterwards } = scene;
  const pass = clockAhead();
  const lab = await ReplicaLab.start();
  onTestFinished(() => lab.close());
  const id = await outlineIdOf(lab);
  let keys = {};
  await lab.write((outline) => (keys = plant(outline, scene.lines)));
  const at: At = (line) => keyOf(keys, line);
  if (before !== undefined) {
    const seen = await headOf(lab);
    await lab.write((outline) => before({ outline, seen }, at));
  }
  const people: Person[] = [];
  for (const kind of kinds) people.push(await KINDS[kind](lab, await networkOf(lab)));
  const personAt = (index: number): Person => {
    const person = people[index];
    if (person === undefined) throw new Error(`there is no person ${index}`);
    return person;
  };
  for (const person of people) person.leave();
  for (const [who, act] of acts) {
    pass(apartMs);
    if (who === "rest") {
      const [method, path, body] = act(at, (line) => nodeIdOf(id, at(line)));
      const { status } = await lab.service.request(method, `/api/v1${path}`, body);
      expect(status).toBe(200);
    } else {
      const person = personAt(NAMES.indexOf(who));
      act({ outline: person.outline, seen: person.seen() }, at);
    }
  }
  for (const index of order) await personAt(index).comeBack();

  const everywhere = async (): Promise<readonly string[]> => {
    const { documents } = lab.service;
    const there = await documents.use(id, (document) =>
      document.read((outline) => shows(outline, at)),
    );
    return [there, ...people.map(({ outline }) => shows(outline, at))];
  };
  const allSee = (wanted: string): Promise<unknown> =>
    expect.poll(everywhere, { timeout: 15_000 }).toEqual([wanted, ...people.map(() => wanted)]);
  await allSee(scene.wanted);
  if (afterwards === undefined) return;
  const first = personAt(0);
  afterwards.act({ outline: first.outline, seen: first.seen() }, at);
  await allSee(afterwards.wanted);
}

/** Who has which program: library and y-websocket in turn, and in the long form all of one as well. */
const CASTS: readonly (readonly Kind[])[] = [
  ["library", "y-websocket", "library"],
  ["y-websocket", "library", "y-websocket"],
  ["library", "library", "library"],
  ["y-websocket", "y-websocket", "y-websocket"],
];

/**
 * Tests a scene with devices, stock clients and the API, and every order in which people come back who
 * have done something: when whoever only looks comes back makes no difference.
 */
export function playAll(scenes: readonly Scene[]): void {
  const played = scenes.flatMap((scene, number) => {
    const people = scene.acts.some(([who]) => who === "three") ? [0, 1, 2] : [0, 1];
    const isAlone = scene.acts.every(([who]) => who === "one" || who === "rest");
    const orders = isAlone ? [people] : permutationsOf(people);
    return orders.flatMap((order, index) =>
      castsOf(people.length === 2 ? number : index).map((cast) => {
        const kinds = cast.slice(0, people.length);
        const names = order.map((person) => NAMES[person]).join();
        return [scene.what, kinds.join(), names, () => play(scene, kinds, order)] as const;
      }),
    );
  });
  test.each(played)("%s: by %s; %s come back", async (_what, _kinds, _order, run) => run());
}

/** In the short form one of the first two: of three people by the order, of two by the scene. */
function castsOf(number: number): readonly (readonly Kind[])[] {
  const at = number % 2;
  return runs(0, 1) === 1 ? CASTS : CASTS.slice(at, at + 1);
}
