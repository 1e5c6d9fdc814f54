import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Replica } from "../../../../client/lib/replica.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../../../src/core/node-key.ts";
import { encodePlacement } from "../../../../src/core/tree/placement.ts";
import { fullUpdate, outlineDoc } from "../../../documents/support/random-edits.ts";
import { nodesOf } from "../../../../src/core/schema.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import { LevelStore } from "../../../../src/store/level/level-store.ts";
import { connectStockClient, type StockClient } from "../../../e2e/stock-client.ts";
import { until } from "../../../support/socket-until.ts";
import { NOWHERE, ReplicaLab } from "./lab.ts";

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Somebody who has the outline: a device of the library, or a page with y-websocket. */
interface Person {
  readonly outline: Outline;
  /** Types at the end of a node's name. */
  type(key: NodeKey, text: string): void;
  add(name: string, parent: NodeKey): void;
  /** Goes offline, with all that it has. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
}

type PersonKind = "device" | "page";

/** A server that can go back to where it was. */
class Restorable {
  readonly lab: ReplicaLab;
  readonly #store: LevelStore;
  readonly #backup: string;

  private constructor(lab: ReplicaLab, store: LevelStore, backup: string) {
    this.lab = lab;
    this.#store = store;
    this.#backup = backup;
  }

  static async start(): Promise<Restorable> {
    const folder = await mkdtemp(join(tmpdir(), "replica-"));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const store = await LevelStore.open(join(folder, "store"), { now: Date.now, randomBytes });
    const lab = await ReplicaLab.start({ store });
    cleanUps.push(() => lab.close());
    return new Restorable(lab, store, join(folder, "backup"));
  }

  backUp(): Promise<unknown> {
    return this.#store.backup(this.#backup);
  }

  async restore(): Promise<void> {
    expect(await this.#store.restore(this.#backup)).toEqual({ kind: "restored" });
    this.lab.service.documents.evictAll("restored");
  }

  /** What programs write over the API, again when a restore came between; answers the key of the node. */
  async write(path: string, body: object): Promise<NodeKey> {
    const answer = await this.lab.service.request("POST", `/api/v1/nodes${path}`, body);
    if (answer.status === 503) return this.write(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    const { item_id: id } = answer.body as { item_id?: string };
    return (id ?? "").slice(-12) as NodeKey;
  }

  /** What the server has durably. */
  async shown(): Promise<readonly string[]> {
    const { outline: id } = await this.lab.session();
    return this.lab.service.documents.use(id as never, (document) =>
      document.read((outline) => linesOf(outline)),
    );
  }

  async untilShown(lines: readonly string[], ...people: readonly Person[]): Promise<void> {
    const wanted = JSON.stringify([...lines].sort());
    let last = "";
    const isShown = async (): Promise<boolean> => {
      last = JSON.stringify([await this.shown(), ...people.map(({ outline }) => linesOf(outline))]);
      return last === `[${Array.from({ length: people.length + 1 }, () => wanted).join()}]`;
    };
    await until(isShown, "everybody to show the same").catch(() => {
      expect(JSON.parse(last)).toEqual(
        Array.from({ length: people.length + 1 }, () => JSON.parse(wanted)),
      );
    });
  }

  async person(kind: PersonKind): Promise<Person> {
    return kind === "device" ? this.#device() : this.#page();
  }

  async #device(): Promise<Person> {
    const disk = new MemoryDisk();
    let replica: Replica = await this.lab.open({ store: new MemoryReplicaStore(disk) });
    await replica.caughtUp();
    const again = async (url: string): Promise<void> => {
      await replica.stored();
      await replica.close();
      replica = await this.lab.open({ store: new MemoryReplicaStore(disk), url });
    };
    return {
      get outline() {
        return replica.outline;
      },
      type(key, text) {
        const at = replica.edits.text(key, "name")?.length ?? 0;
        replica.edits.type(key, "name", { at, remove: 0, insert: text });
      },
      add: (name, parent) => void replica.edits.create({ parent, name, position: "bottom" }),
      leave: async () => {
        await replica.saved();
        await again(NOWHERE);
      },
      comeBack: () => again(this.lab.service.url),
    };
  }

  async #page(): Promise<Person> {
    const page: StockClient = connectStockClient(this.lab.service.url, this.lab.service.key);
    const { doc, outline, provider } = page;
    cleanUps.push(async () => page.leave());
    await until(() => provider.synced, "the page");
    return {
      outline,
      type(key, text) {
        const name = nodesOf(doc).get(key);
        name?.insert(name.length, text);
      },
      add: (name, parent) => void outline.create({ parent, name, position: "bottom" }),
      leave: async () => provider.disconnect(),
      comeBack: async () => provider.connect(),
    };
  }
}

function linesOf(outline: Outline): readonly string[] {
  const nodes = [...outline.nodesInOrder()];
  const names = new Map(nodes.map(({ key, name }): [NodeKey, string] => [key, name]));
  return nodes
    .map(({ name, parent }) => (names.has(parent) ? `${names.get(parent)} > ${name}` : name))
    .sort();
}

/** Before the backup `x old`; then what programs and people did, which the server forgets. */
async function lostLife(kinds: readonly PersonKind[]) {
  const server = await Restorable.start();
  const x = await server.write("", { name: "x old" });
  await server.backUp();
  const people = await Promise.all(kinds.map((kind) => server.person(kind)));
  await server.write(`/${x}`, { name: "x renamed by REST" });
  const y = await server.write("", { name: "y" });
  await server.untilShown(["x renamed by REST", "y"], ...people);
  return { server, people, x, y };
}

describe.each<PersonKind>(["device", "page"])("with a %s", (kind) => {
  test.each(["connected", "offline", "offline with edits"])(
    "[L17, D87] what the server had lost of its own comes back with what was built on it (%s)",
    async (state) => {
      const { server, people, y } = await lostLife([kind]);
      const [person] = people;
      if (person === undefined) throw new Error("there is one");
      person.type(y, " typed");
      person.add("child", y);
      const lines = ["x renamed by REST", "y typed", "y typed > child"];
      await server.untilShown(lines, person);
      if (state !== "connected") await person.leave();
      if (state === "offline with edits") person.type(y, " more");
      await server.restore();
      if (state !== "connected") {
        await server.untilShown(["x old"]);
        await person.comeBack();
      }
      const wanted =
        state === "offline with edits"
          ? lines.map((line) => line.replace("y typed", "y typed more"))
          : lines;
      await server.untilShown(wanted, person);
      // And it goes on.
      await server.write("", { name: "later" });
      person.add("later too", y);
      await server.untilShown([...wanted, "later", `${wanted[1]} > later too`], person);
    },
  );

  test("[L17, D87] what programs write before somebody comes stays beside what comes back", async () => {
    const { server, people, x } = await lostLife([kind]);
    const [person] = people;
    await person?.leave();
    await server.restore();
    await server.write(`/${x}/complete`, {});
    await server.write("", { name: "new" });
    await server.write("", { name: "below", parent_id: x });
    await person?.comeBack();
    const lines = ["x renamed by REST", "x renamed by REST > below", "y", "new"];
    await server.untilShown(lines, ...people);
  });

  test("[L17, D87] a second restore while they hand it in loses nothing either", async () => {
    const { server, people } = await lostLife([kind]);
    await server.restore();
    await server.restore();
    await server.write("", { name: "between" });
    await server.untilShown(["x renamed by REST", "y", "between"], ...people);
    await server.restore();
    await server.untilShown(["x renamed by REST", "y", "between"], ...people);
  });
});

/** What an import makes of the same file, whoever runs it: a node under the key that the file gives. */
function imported(key: NodeKey, clientId: number): Uint8Array {
  const doc = outlineDoc(clientId);
  doc.transact(() => {
    const text = new Y.Text("imported");
    nodesOf(doc).set(key, text);
    text.setAttribute("p", encodePlacement({ parent: ROOT, createdAt: 1, order: "U" }));
  });
  return fullUpdate(doc);
}

test("[L17, D87] what can't come back under its ids is written anew, and nothing of it is thrown away", async () => {
  const { server, people, y } = await lostLife(["device"]);
  const [device] = people;
  const key = "a1b2c3d4e5f6" as NodeKey;
  await server.lab.receive(imported(key, 901));
  await server.write("", { name: "by REST", parent_id: key });
  device?.type(y, " typed");
  const lines = ["imported", "imported > by REST", "x renamed by REST", "y typed"];
  await server.untilShown(lines, ...people);
  await device?.leave();
  await server.restore();
  await server.lab.receive(imported(key, 902));
  await device?.comeBack();
  await server.untilShown(lines, ...people);
});

test("[L17, D87] a device that has nothing unsent finds out that a copy of it has written under its ids", async () => {
  const { server, people, y } = await lostLife(["device"]);
  const [device] = people;
  if (device === undefined) throw new Error("there is one");
  device.type(y, " typed");
  await server.untilShown(["x renamed by REST", "y typed"], device);
  const { clientID } = device.outline.doc;
  await device.leave();
  await server.restore();
  await server.lab.receive(imported("a1b2c3d4e5f6" as NodeKey, clientID));
  await server.untilShown(["imported", "x old"]);
  await device.comeBack();
  await server.untilShown(["imported", "x renamed by REST", "y typed"], device);
});

test("[L100] under the id that it had before the restore a device writes nothing more", async () => {
  const server = await Restorable.start();
  const x = await server.write("", { name: "x" });
  const device = await server.person("device");
  device.type(x, " typed");
  await server.untilShown(["x typed"], device);
  const { clientID } = device.outline.doc;
  await server.backUp();
  await server.restore();
  await until(() => device.outline.doc.clientID !== clientID, "another id");
  device.type(x, " more");
  await server.untilShown(["x typed more"], device);
});

describe.each<[PersonKind, PersonKind]>([
  ["device", "device"],
  ["device", "page"],
  ["page", "page"],
])("with a %s and a %s that have different parts of what was lost", (one, other) => {
  test.each([
    [0, 1],
    [1, 0],
  ])("[L17, D87] all of it comes back (%i first)", async (first, second) => {
    const { server, people, x, y } = await lostLife([one, other]);
    const [early, late] = people;
    if (early === undefined || late === undefined) throw new Error("there are two");
    early.type(y, " by one");
    await server.untilShown(["x renamed by REST", "y by one"], ...people);
    await early.leave();
    late.add("child", y);
    await server.write(`/${x}`, { name: "x renamed twice" });
    const lines = ["x renamed twice", "y by one", "y by one > child"];
    await server.untilShown(lines, late);
    await late.leave();
    await server.restore();
    await people[first]?.comeBack();
    await server.untilShown(first === 0 ? ["x renamed by REST", "y by one"] : lines);
    await people[second]?.comeBack();
    await server.untilShown(lines, ...people);
  });
});
