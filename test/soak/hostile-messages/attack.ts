import { createHash } from "node:crypto";
import * as Y from "yjs";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/message.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { until } from "../../support/socket-until.ts";
import type { ServerCounts } from "./attacked-server.ts";
import { Attacker, type Volley } from "./attacker.ts";
import { HonestHand } from "./honest-hand.ts";
import { HostileMessages } from "./hostile-messages.ts";
import { strangeClient } from "./hostile-updates.ts";
import { type HugeMessage, hugeMessages } from "./huge-messages.ts";
import { contentOf, lackOf } from "./outline-content.ts";
import { greetingBeside, honestFailures, QUIET_USER, type Scene } from "./scene.ts";
import { WrittenClocks } from "./written-clocks.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Connections at one time, and how many messages each sends at once. */
const EXTENDED = { connections: 10, volley: 100 };
/** The first refusal ends such a connection. */
const STOCK = { connections: 4, volley: 6 };
const READ_ONLY = { connections: 1, volley: 20 };
/** So few that now and then all are refused. */
const QUIET = { connections: 1, volley: 12 };
/** Volleys, of which one in five or so is refused as a whole. */
const QUIET_AT_LEAST = 100;
const HUGE_EVERY = 2_000;

interface Line {
  readonly attacker: Attacker;
  readonly volley: number;
}

/** Connections that attack a server, and what is looked at meanwhile. */
export class Attack {
  readonly failures: string[] = [];
  readonly #scene: Scene;
  readonly #lines: readonly Line[];
  readonly #quietLines: readonly Line[];
  readonly #huge: readonly HugeMessage[] = hugeMessages();
  readonly #written: WrittenClocks;
  readonly #figures = { acknowledged: 0, refused: 0, unchanged: 0, largest: 0 };
  readonly #longest = { longestTurnMs: 0, longestDelayMs: 0, longestCollectionMs: 0 };
  #acknowledged: Uint8Array[] = [];
  #stateVector: Uint8Array = new Uint8Array([0]);
  #counts: ServerCounts | undefined;
  #sent = 0;
  #messages = 0;
  #target = 0;

  constructor(scene: Scene, seed: number) {
    this.#scene = scene;
    const { pair, attackerKey, readerKey, quietKey, server } = scene;
    this.#written = new WrittenClocks(pair.places().map(({ client }) => client));
    const random = seededRandom(seed);
    const messages = new HostileMessages(random, () => pair.places());
    const common = { port: server.port, random, messages };
    const step1 = (): Uint8Array =>
      encodeMessage({ kind: "step1", stateVector: this.#stateVector });
    const takeHuge = (): HugeMessage | undefined => this.#takeHuge();
    this.#lines = [
      ...linesOf(EXTENDED, () => ({
        ...common,
        key: attackerKey,
        dialect: "extended" as const,
        greeting: () => greetingBeside(scene),
        hand: new HonestHand(strangeClient(random), random),
        takeHuge,
      })),
      ...linesOf(STOCK, () => ({
        ...common,
        key: attackerKey,
        dialect: "stock" as const,
        greeting: step1,
      })),
      ...linesOf(READ_ONLY, () => ({
        ...common,
        key: readerKey,
        dialect: "extended" as const,
        greeting: () => greetingBeside(scene),
      })),
    ];
    this.#quietLines = linesOf(QUIET, () => ({
      ...common,
      key: quietKey,
      dialect: "extended" as const,
      greeting: () =>
        encodeMessage({
          kind: "hello",
          version: PROTOCOL_VERSION,
          instance: new Uint8Array(16),
          epoch: "",
          seq: 0,
        }),
    }));
  }

  get sent(): number {
    return this.#sent;
  }

  /** Attacks with all connections at once, until so many messages were sent in all. */
  async sendUpTo(target: number): Promise<void> {
    this.#target = target;
    await this.#guarded(async () => {
      await Promise.all([...this.#lines.map((line) => this.#attack(line)), this.#attackQuietOne()]);
    });
  }

  /** Looks whether all that must hold does. */
  async check(): Promise<void> {
    await this.#guarded(async () => {
      const { pair } = this.#scene;
      await pair.settled();
      const [doc] = pair.docs;
      if (doc === undefined) return;
      await this.#expectEqualReplicas();
      for (const update of this.#acknowledged.splice(0)) {
        const lack = lackOf(doc, update);
        if (lack !== undefined) this.#fail(`acknowledged, but ${lack}`);
      }
      for (const failure of this.#written.strangersIn(doc)) this.#fail(failure);
      const isDeletion = (client: number, clock: number): boolean =>
        this.#written.isDeletion(client, clock);
      for (const failure of pair.disturbances(doc, isDeletion)) this.#fail(failure);
      for (const failure of await honestFailures(this.#scene)) this.#fail(failure);
      await this.#lookAtServer();
      this.#stateVector = Y.encodeStateVector(doc);
    });
  }

  /** A run that did not do what it is about shows nothing. */
  expectSubstance(): void {
    const { acknowledged, refused, unchanged } = this.#figures;
    const pairTimed = this.#scene.pair.latenciesMs.length;
    const closes = Object.keys(this.#counts?.closed ?? {}).length;
    if (acknowledged * 100 < this.#sent) this.#fail(`only ${acknowledged} were acknowledged`);
    // How many are judged before their connection closes depends on the machine: half or a quarter.
    if (refused * 10 < this.#sent) this.#fail(`only ${refused} were refused`);
    if (Math.min(unchanged, pairTimed, closes) === 0) {
      this.#fail(`${unchanged} looks, ${pairTimed} words timed, closed in ${closes} ways`);
    }
  }

  expectShortTurns(longestMs: number): void {
    const { longestTurnMs } = this.#longest;
    if (longestTurnMs > longestMs) this.#fail(`a turn of the event loop took ${longestTurnMs} ms`);
  }

  figures(): Readonly<Record<string, number>> {
    const { refused = {}, closed = {}, judged = 0, rssMb = 0 } = this.#counts ?? {};
    const prefixed = (prefix: string, table: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(table).map(([name, count]) => [`${prefix}${name}`, count]));
    const latencies = this.#scene.pair.latenciesMs.toSorted((one, other) => one - other);
    return {
      ...this.#figures,
      updatesJudged: judged,
      ...prefixed("refused_", refused),
      ...prefixed("closed_", closed),
      ...this.#longest,
      serverMb: Math.round(rssMb),
      pairTimed: latencies.length,
      pairMedianMs: latencies[Math.floor(latencies.length / 2)] ?? 0,
      pairWorstMs: latencies.at(-1) ?? 0,
    };
  }

  end(): void {
    for (const { attacker } of [...this.#lines, ...this.#quietLines]) attacker.stop();
    this.#scene.pair.close();
  }

  get #goesOn(): boolean {
    return this.#sent < this.#target && this.failures.length === 0;
  }

  async #attack({ attacker, volley }: Line): Promise<void> {
    while (this.#goesOn) {
      this.#take(await attacker.volley(volley));
      this.#scene.pair.type();
    }
  }

  /**
   * With a look at the document before and after, once nothing is under way from before. However fast
   * the others are, it goes on until all of a volley was refused, or that is not to be expected.
   */
  async #attackQuietOne(): Promise<void> {
    const { server } = this.#scene;
    const looksBefore = this.#figures.unchanged;
    const hasLooked = (): boolean => this.#figures.unchanged > looksBefore;
    let before: string | undefined;
    for (let count = 0; this.#goesOn || (count < QUIET_AT_LEAST && !hasLooked()); count++) {
      if (this.failures.length > 0) return;
      const [line] = this.#quietLines;
      if (line === undefined) return;
      const volley = await line.attacker.volley(line.volley);
      this.#sent += volley.sent;
      this.failures.push(...volley.failures);
      const after = await server.ask({ kind: "state", user: QUIET_USER });
      const { refused, acknowledged, uncertain } = volley;
      if (before !== undefined && refused > 0 && acknowledged.length + uncertain.length === 0) {
        if (after !== before) this.#fail(`${refused} updates were refused and changed something`);
        this.#figures.unchanged++;
      }
      // What was sent on a connection that has ended may still be read.
      before = uncertain.length === 0 ? after : undefined;
    }
  }

  #take({ sent, acknowledged, uncertain, refused, failures }: Volley): void {
    this.#sent += sent;
    this.#figures.acknowledged += acknowledged.length;
    this.#figures.refused += refused;
    this.failures.push(...failures);
    this.#acknowledged.push(...acknowledged);
    for (const update of [...acknowledged, ...uncertain]) this.#written.add(update);
  }

  #takeHuge(): HugeMessage | undefined {
    if (++this.#messages % HUGE_EVERY !== 0) return undefined;
    this.#figures.largest++;
    return this.#huge[(this.#messages / HUGE_EVERY) % this.#huge.length];
  }

  async #expectEqualReplicas(): Promise<void> {
    const { pair, server } = this.#scene;
    await until(
      async () => {
        const served = await server.ask({ kind: "content", user: "me" });
        return pair.docs.every((doc) => hashOf(contentOf(doc)) === served);
      },
      "the pair's replicas to equal the server's",
      PATIENCE_MS,
    );
  }

  async #lookAtServer(): Promise<void> {
    const counts = await this.#scene.server.ask({ kind: "counts" });
    this.#counts = counts;
    for (const name of ["longestTurnMs", "longestDelayMs", "longestCollectionMs"] as const) {
      this.#longest[name] = Math.max(this.#longest[name], Math.round(counts[name]));
    }
    for (const fault of counts.faults) this.#fail(`logged: ${fault}`);
    for (const leak of counts.leaks) this.#fail(`a log tells ${leak}`);
  }

  /** A server that has ended, or that does not answer, is a failure too. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
      await this.#lookAtServer().catch(() => undefined);
    }
    const { ended } = this.#scene.server;
    if (ended !== undefined) this.#fail(ended);
  }

  #fail(failure: string): void {
    this.failures.push(`after ${this.#sent} messages: ${failure}`);
  }
}

function linesOf(
  { connections, volley }: { readonly connections: number; readonly volley: number },
  options: () => ConstructorParameters<typeof Attacker>[0],
): readonly Line[] {
  return Array.from({ length: connections }, () => ({
    attacker: new Attacker(options()),
    volley,
  }));
}

function hashOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
