import { expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { nodesOf, textOf } from "../../src/core/schema.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { shape } from "../support/outline-notation.ts";
import { permutationsOf } from "../support/permutations.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { catchUp } from "./support/catch-up.ts";
import { outlineDoc } from "./support/random-edits.ts";
import { workshop } from "./support/workshop.ts";

/** A stock client: it sends what it has beyond the server, and every deletion that it knows of. */
class StockClient {
  readonly doc: Y.Doc;
  readonly outline: Outline;
  readonly #author: Author = { keyId: "ann", session: {} };

  constructor(client: number) {
    this.doc = outlineDoc(client);
    this.outline = attach(this.doc);
  }

  key(name: string): NodeKey {
    const found = [...this.outline.nodesInOrder()].find((node) => node.name === name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found.key;
  }

  text(name: string): Y.Text {
    const text = textOf(nodesOf(this.doc), this.key(name));
    if (text === undefined) throw new Error(`no ${name}`);
    return text;
  }

  /** Gets what the server has, and gives it what it did without having seen that. */
  async meet(document: OutlineDocument): Promise<void> {
    const vector = Y.encodeStateVector(this.doc);
    const own = Y.encodeStateAsUpdate(this.doc, document.stateVector());
    catchUp(this.doc, document);
    const receipt = await document.receive(own, this.#author, Y.decodeStateVector(vector));
    expect(receipt.kind).toBe("applied");
    catchUp(this.doc, document);
  }
}

function attach(doc: Y.Doc): Outline {
  const random = seededRandom(doc.clientID);
  return Outline.attach(doc, { id: newOutlineId(random), now: Date.now, random, isDevice: true });
}

type Act = (client: StockClient) => void;

const type =
  (name: string, at: number, remove: number, insert: string): Act =>
  (client) => {
    const text = client.text(name);
    client.doc.transact(() => {
      text.delete(at, remove);
      text.insert(at, insert);
    });
  };

/** As a program marks a deletion that knows no numbers of updates. */
const mark =
  (name: string, value: string): Act =>
  (client) =>
    client.text(name).setAttribute("d", value);

const add =
  (parent: string, name: string): Act =>
  (client) => {
    const made = client.outline.create({
      parent: client.key(parent),
      position: "bottom",
      name,
    });
    expect(made.kind).toBe("created");
  };

/** What comes of what stock clients do while they are away, in each order in which they come back. */
async function outcomes(names: readonly string[], ...acts: readonly Act[]): Promise<string[]> {
  const found: string[] = [];
  for (const order of permutationsOf(acts.map((_, index) => index))) {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const first = new StockClient(900);
    for (const name of names) first.outline.create({ parent: ROOT, position: "bottom", name });
    await first.meet(document);
    const clients = acts.map((_, index) => new StockClient(901 + index));
    for (const client of clients) await client.meet(document);
    for (const [index, client] of clients.entries()) {
      acts[index]?.(client);
    }
    for (const index of order) await clients[index]?.meet(document);
    for (const client of [...clients, first]) await client.meet(document);
    const shown = [...clients, first].map(
      ({ outline }) => `${shape(outline)} | ${outline.trashedKeys().length}`,
    );
    expect(new Set(shown).size).toBe(1);
    found.push(shown[0] ?? "");
  }
  return [...new Set(found)];
}

test.each<[what: string, names: readonly string[], wanted: string, ...acts: Act[]]>([
  [
    "the same word is there once",
    ["Kotte"],
    "Kotti | 0",
    type("Kotte", 4, 1, "i"),
    type("Kotte", 4, 1, "i"),
  ],
  [
    "words that both changed are whole",
    ["on Tuesday"],
    "on Wednesday Thursday | 0",
    type("on Tuesday", 3, 4, "Wednes"),
    type("on Tuesday", 3, 4, "Thurs"),
  ],
  [
    "what is below a deleted line, unseen, lives",
    ["x", "y"],
    "new y | 0",
    add("x", "new"),
    mark("x", "f*"),
  ],
  ["and so it does of a trashed one", ["x", "y"], "new y | 1", add("x", "new"), mark("x", "t*")],
])(
  "[D110, D80, D83, D32] two stock clients that were away: %s",
  async (_, names, wanted, ...acts) => {
    expect(await outcomes(names, ...acts)).toEqual([wanted]);
  },
);

test("[D110, D90] text that a stock client's deletion had not seen is in the trash", async () => {
  expect(await outcomes(["x", "y"], type("x", 1, 0, " more"), mark("x", "f*"))).toEqual(["y | 1"]);
});

test("[D110, D33] a move that a stock client had not seen takes the node out of the trash", async () => {
  const move: Act = (client) =>
    void client.outline.move(client.key("x"), { parent: client.key("y"), position: "top" });
  expect(await outcomes(["x", "y"], move, mark("x", "t*"))).toEqual(["y(x) | 0"]);
});
