import { setImmediate as nextTurn } from "node:timers/promises";
import type { Random } from "../../../src/core/node-key.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import type { AttackedServer } from "../hostile-messages/attacked-server.ts";
import { type Api, apiOf } from "./api-operations.ts";
import { type HostileRequest, HostileRequests, type Keyring } from "./hostile-request.ts";
import { HttpWire, type NoAnswer, type WireAnswer } from "./http-wire.ts";
import { faultOf } from "./judged-answer.ts";
import { MARK } from "./odd-values.ts";

const LANES = 6;
/** So often somebody sends a body drop by drop. */
const SLOW_EVERY = 500;
const SLOW_DROPS = 20;

interface Lane {
  readonly wire: HttpWire;
  readonly requests: HostileRequests;
  readonly keys: readonly string[];
  /** With it, the state of this user is compared around every request. */
  readonly user: string | undefined;
}

/** Connections that send one hostile request after the other. */
export class RequestAttack {
  readonly failures: string[] = [];
  readonly #server: AttackedServer;
  readonly #api: Api;
  readonly #random: Random;
  readonly #statuses = new Map<string, number>();
  /** Operations that were asked for, and those of them with success. */
  readonly #tried = new Set<string>();
  readonly #operations = new Set<string>();
  readonly #longest = { longestTurnMs: 0, longestDelayMs: 0, longestCollectionMs: 0 };
  #rssMb = 0;
  #logLines = 0;
  #sent = 0;
  #users = 0;
  #unchanged = 0;
  #wrongBodies = 0;

  private constructor(server: AttackedServer, api: Api, seed: number) {
    this.#server = server;
    this.#api = api;
    this.#random = seededRandom(seed);
  }

  static async begin(server: AttackedServer, seed: number): Promise<RequestAttack> {
    return new RequestAttack(server, await apiOf(server.url), seed);
  }

  get sent(): number {
    return this.#sent;
  }

  /** Attacks a fresh user, whose outline is small, until so many requests were sent in all. */
  async sendUpTo(target: number): Promise<void> {
    try {
      const shared = await this.#newUser();
      const watched = await this.#newUser();
      const lanes = Array.from({ length: LANES }, () => this.#lane(shared.keys, undefined));
      lanes.push(this.#lane(watched.keys, watched.user));
      await Promise.all(lanes.map((lane) => this.#run(lane, target)));
      await this.#look();
    } catch (error) {
      this.#fail(this.#server.ended ?? String(error));
    }
  }

  /** A run that did not do what it is about shows nothing. */
  expectSubstance(): void {
    const statuses = [...this.#statuses.keys()];
    for (const status of ["200", "400", "401", "403", "404", "405", "413"]) {
      if (!statuses.includes(status)) this.#fail(`nothing was answered ${status}`);
    }
    const untried = this.#api.operations.filter(({ id }) => !this.#tried.has(id));
    if (untried.length > 0) this.#fail(`not tried: ${untried.map(({ id }) => id).join()}`);
    // Which of them find what they need is up to chance.
    if (this.#operations.size * 2 < this.#api.operations.length) this.#fail("hardly a success");
    if (this.#unchanged === 0 || this.#wrongBodies === 0) this.#fail("nothing was compared");
  }

  expectShortTurns(longestMs: number): void {
    const { longestTurnMs } = this.#longest;
    if (longestTurnMs > longestMs) this.#fail(`a turn of the event loop took ${longestTurnMs} ms`);
  }

  figures(): Readonly<Record<string, number>> {
    const statuses = [...this.#statuses].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      operations: this.#operations.size,
      ...Object.fromEntries(statuses.map(([status, count]) => [`answered_${status}`, count])),
      wrongBodiesRefused: this.#wrongBodies,
      refusalsThatChangedNothing: this.#unchanged,
      ...this.#longest,
      serverMb: Math.round(this.#rssMb),
      logLines: this.#logLines,
    };
  }

  #lane(keys: Keyring, user: string | undefined): Lane {
    return {
      wire: new HttpWire(this.#server.port),
      requests: new HostileRequests(this.#random, this.#api, keys),
      keys: Object.values(keys),
      user,
    };
  }

  async #run(lane: Lane, target: number): Promise<void> {
    while (this.#sent < target && this.failures.length === 0) {
      const count = ++this.#sent;
      const request = lane.requests.next();
      const before = await this.#stateOf(lane);
      const answer = await this.#send(lane.wire, request, count % SLOW_EVERY === 0);
      this.#judge(lane, request, answer);
      if (typeof answer === "string" || lane.user === undefined) continue;
      const isWrite = request.method === "POST" || request.method === "DELETE";
      if (answer.status === 200 && isWrite) continue;
      if ((await this.#stateOf(lane)) !== before) {
        this.#fail(`${describe(request)} was answered ${answer.status} and changed something`);
      }
      this.#unchanged++;
    }
    lane.wire.close();
  }

  async #send(
    wire: HttpWire,
    { parts, method, isBroken }: HostileRequest,
    isSlow: boolean,
  ): Promise<WireAnswer | NoAnswer> {
    // What may not end where it seems to gets a connection of its own.
    if (isBroken) wire.close();
    const options = { isHead: method === "HEAD" };
    if (!isSlow) return wire.send(parts, options);
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const size = Math.ceil(bytes.length / SLOW_DROPS);
    const drops = Array.from({ length: SLOW_DROPS }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    return wire.send(drops, { ...options, betweenParts: () => nextTurn() });
  }

  #judge({ wire, requests, keys }: Lane, request: HostileRequest, answer: WireAnswer | NoAnswer) {
    const { operation, isBodyWrong, isBroken } = request;
    const fault = faultOf(request, answer, { api: this.#api, keys });
    if (fault !== undefined) this.#fail(`${describe(request)}: ${fault}`);
    const status = typeof answer === "string" ? answer : String(answer.status);
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (wire.spare > 0) this.#fail(`${describe(request)}: more than one answer`);
    if (isBroken) wire.close();
    if (typeof answer === "string" || operation === undefined) return;
    this.#tried.add(operation.id);
    if (isBodyWrong) this.#wrongBodies++;
    if (answer.status !== 200) return;
    this.#operations.add(operation.id);
    const made =
      /"item_id":"([^"]+)"/.exec(answer.body)?.[1] ?? /"id":"(key_\w+)"/.exec(answer.body)?.[1];
    if (made !== undefined && request.method === "POST") requests.learn(made);
  }

  #stateOf({ user }: Lane): Promise<string> | undefined {
    return user === undefined ? undefined : this.#server.ask({ kind: "state", user });
  }

  async #newUser(): Promise<{ readonly user: string; readonly keys: Keyring }> {
    const user = `user-${++this.#users}`;
    const whole = await this.#server.ask({ kind: "user", name: user });
    const call = async (path: string, body: unknown): Promise<Readonly<Record<string, string>>> => {
      const response = await fetch(`${this.#server.url}/api/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${whole}` },
        body: JSON.stringify(body),
      });
      return (await response.json()) as Readonly<Record<string, string>>;
    };
    const { item_id: root } = await call("nodes", { name: `${MARK} root` });
    const reader = await call("keys", { name: MARK, scope: "read" });
    const limited = await call("keys", { name: MARK, root_id: root });
    const keys = { whole, reader: reader["key"] ?? "", limited: limited["key"] ?? "" };
    return { user, keys };
  }

  async #look(): Promise<void> {
    const counts = await this.#server.ask({ kind: "counts" });
    for (const name of ["longestTurnMs", "longestDelayMs", "longestCollectionMs"] as const) {
      this.#longest[name] = Math.max(this.#longest[name], Math.round(counts[name]));
    }
    this.#rssMb = counts.rssMb;
    this.#logLines = counts.logLines;
    for (const fault of counts.faults) this.#fail(`logged: ${fault}`);
    for (const leak of counts.leaks) this.#fail(`a log tells ${leak}`);
  }

  #fail(failure: string): void {
    this.failures.push(`after ${this.#sent} requests: ${failure}`);
  }
}

function describe({ parts }: HostileRequest): string {
  const text = Buffer.concat(parts.map((part) => Buffer.from(part))).toString("latin1");
  return JSON.stringify(text.slice(0, 600));
}
