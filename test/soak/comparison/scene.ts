import { isDeepStrictEqual } from "node:util";
import * as Y from "yjs";
import { nodeIdOf, ROOT, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { connectStockClient, type StockClient } from "../../e2e/stock-client.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";
import type { TestService } from "../../support/service.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import { waitUntil } from "../failing-store/wait-until.ts";
import type { Author } from "./author.ts";
import { compare, isShownBy } from "./compare.ts";
import { DeviceAuthor } from "./device-author.ts";
import type { Ask, Question } from "./reads.ts";
import { RestAuthor } from "./rest-author.ts";
import { keyIn, Viewer } from "./view.ts";

/** A replica that only reads, and how it is looked at. */
interface Watcher {
  readonly name: string;
  readonly viewer: Viewer;
}

/** Programs and devices that write one outline, and replicas that are compared with the API. */
export class Scene {
  compared = 0;
  identical = 0;
  readonly failures: string[] = [];
  readonly #service: TestService;
  readonly #outline: OutlineId;
  readonly #ask: Ask;
  readonly #random: () => number;
  readonly #fence: NodeKey;
  readonly #clients: readonly SyncClient[];
  readonly #stock: readonly StockClient[];
  readonly #watchers: readonly Watcher[];
  readonly #authors: readonly Author[];
  #moments = 0;

  private constructor(options: {
    readonly service: TestService;
    readonly outline: OutlineId;
    readonly ask: Ask;
    readonly fence: NodeKey;
    readonly seed: number;
  }) {
    const { service, outline, ask, fence, seed } = options;
    const { url, key } = service;
    const random = seededRandom(seed);
    this.#service = service;
    this.#outline = outline;
    this.#ask = ask;
    this.#fence = fence;
    this.#random = random;
    const address = `${url.replace("http", "ws")}/sync/me`;
    const [writing, reading] = [new Device(), new Device()];
    this.#clients = [
      new SyncClient({ url: address, key, device: writing }),
      new SyncClient({ url: address, key, device: reading, claims: false }),
    ];
    const [stockWriter, stockReader] = [connectStockClient(url, key), connectStockClient(url, key)];
    this.#stock = [stockWriter, stockReader];
    const attached = (doc: Y.Doc): Outline =>
      Outline.attach(doc, { id: outline, now: Date.now, random: Math.random });
    this.#watchers = [
      { name: "extended", viewer: new Viewer(attached(reading.doc)) },
      { name: "stock", viewer: new Viewer(attached(stockReader.doc)) },
    ];
    this.#authors = [
      new RestAuthor(service, outline, { name: "rest", random, fence }),
      new RestAuthor(service, outline, { name: "other", random, fence }),
      new DeviceAuthor(attached(writing.doc), writing, { name: "device", random, fence }),
      new DeviceAuthor(stockWriter.outline, undefined, { name: "typist", random, fence }),
    ];
  }

  static async open(
    service: TestService,
    outline: OutlineId,
    ask: Ask,
    seed: number,
  ): Promise<Scene> {
    const { body } = await service.request("POST", "/api/v1/nodes", { name: "fence 0" });
    const fence = keyIn((body as { readonly item_id: string }).item_id);
    const scene = new Scene({ service, outline, ask, fence, seed });
    await waitUntil(
      () => scene.#clients.every(({ device, isLive }) => isLive && device.doc.share.size > 0),
      "the devices are connected",
    );
    await waitUntil(() => scene.#stock.every(({ provider }) => provider.synced), "the others too");
    return scene;
  }

  /** How often the compared replicas have changed. */
  get changes(): number {
    return this.#watchers.reduce((sum, { viewer }) => sum + viewer.changes, 0);
  }

  /** Everybody writes, the API is asked meanwhile, and its answer is compared with the replicas. */
  async moment(): Promise<void> {
    const random = this.#random;
    this.#moments++;
    for (const { received } of this.#clients) received.length = 0;
    const acknowledged = this.#authors.map((author) => new Map(author.acknowledged));
    const before = this.#watchers.map(({ viewer }) => viewer.view());
    const [view] = before;
    if (view === undefined) throw new Error("nobody watches");
    const isStructural = random() < 0.4;
    const edits = this.#authors.map((author) => author.step(view, isStructural));
    const question = this.#question([...view.nodes.keys()]);
    const answer = await this.#ask(question);
    await Promise.all(edits);
    await this.#passFence();
    for (const [index, { name, viewer }] of this.#watchers.entries()) {
      const exhibit = { question, answer, before: before[index] ?? view, after: viewer.view() };
      const result = compare({ ...exhibit, acknowledged });
      this.compared += result.compared;
      this.identical += result.identical;
      const place = `moment ${this.#moments}, ${question.kind}, ${name}`;
      this.failures.push(...result.differences.map((difference) => `${place}: ${difference}`));
    }
    for (const author of this.#authors) {
      this.failures.push(...author.offences.map((offence) => `${author.name}: ${offence}`));
    }
  }

  /** Nobody writes any more: everything is the same everywhere. */
  async rest(): Promise<void> {
    await waitUntil(() => this.#clients.every(({ unsaved }) => unsaved === 0), "all is durable");
    const docs = [
      ...this.#clients.map(({ device }) => device.doc),
      ...this.#stock.map(({ doc }) => doc),
    ];
    const vectors = (): readonly Map<number, number>[] =>
      docs.map((doc) => Y.decodeStateVector(Y.encodeStateVector(doc)));
    await waitUntil(() => {
      const [first, ...others] = vectors();
      return others.every((vector) => isDeepStrictEqual(vector, first));
    }, "all replicas have the same");
    await this.#passFence();
    const answer = await this.#ask({ kind: "export" });
    for (const { name, viewer } of this.#watchers) {
      const { nodes } = viewer.view();
      this.compared += nodes.size;
      const isSame = [...nodes].every(([key, shown]) => {
        const told = answer.get(key);
        return told !== undefined && isShownBy(told, shown);
      });
      if (isSame && nodes.size === answer.size) continue;
      this.failures.push(`at rest ${name} differs from the API`);
    }
  }

  close(): void {
    for (const client of this.#clients) client.kill();
    for (const client of this.#stock) {
      client.provider.awareness.destroy();
      client.leave();
    }
  }

  #question(keys: readonly NodeKey[]): Question {
    const random = this.#random;
    const roll = random();
    if (roll < 0.2 && keys.length > 0) return { kind: "retrieve", key: oneOf(random, keys) };
    if (roll < 0.6)
      return { kind: "list", parent: random() < 0.7 ? ROOT : oneOf(random, [ROOT, ...keys]) };
    return { kind: "export" };
  }

  /** Writes over REST, and waits until every replica shows it: then it has all that was before. */
  async #passFence(): Promise<void> {
    const name = `fence ${integerBelow(this.#random, 2 ** 40)}`;
    const path = `/api/v1/nodes/${nodeIdOf(this.#outline, this.#fence)}`;
    const { status } = await this.#service.request("POST", path, { name });
    if (status !== 200) throw new Error(`the fence: ${status}`);
    await waitUntil(
      () => this.#watchers.every(({ viewer }) => viewer.outline.node(this.#fence)?.name === name),
      "replicas show what was written over REST",
    );
    const seen = await this.#ask({ kind: "retrieve", key: this.#fence });
    this.compared++;
    if (seen.get(this.#fence)?.includes(`"${name}"`) !== true) {
      this.failures.push(
        `moment ${this.#moments}: the API does not show ${name}, which replicas do`,
      );
    }
  }
}
