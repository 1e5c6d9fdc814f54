import type { Random } from "../../../src/core/node-key.ts";
import { form } from "../../http/oauth-person.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { type Api, apiOf } from "../hostile-requests/api-operations.ts";
import { endKey, ENDINGS, loseRoot } from "./endings.ts";
import { newToken, tryGrants } from "./grant-attempts.ts";
import { type KeyWorld, nodeKeyIn, openKeyWorld, secretOf, type Victim } from "./key-world.ts";
import { type Actor, RestAttempts } from "./rest-attempts.ts";
import { tryThroughMirrors } from "./through-mirrors.ts";
import { trySocket } from "./socket-attempts.ts";

/** Of so many attempts one is a websocket. */
const SOCKET_EVERY = 20;

interface Scene {
  readonly world: KeyWorld;
  readonly api: Api;
  readonly victims: readonly Victim[];
  readonly actors: readonly Actor[];
}

/** Everybody who tries, in turn, at random places. */
export class Trespass {
  readonly failures: string[] = [];
  readonly #scene: Scene;
  readonly #random: Random;
  readonly #rest: RestAttempts;
  readonly #closedAfterMs: number[] = [];
  readonly #counts = { overHttp: 0, overWebsockets: 0, endings: 0, looks: 0, routesOfTokens: 0 };
  #states: readonly string[];
  #done = 0;

  private constructor(scene: Scene, states: readonly string[], seed: number) {
    this.#scene = scene;
    this.#states = states;
    this.#random = seededRandom(seed);
    this.#rest = new RestAttempts(this.#random, scene.api, portOf(scene.world));
  }

  static async begin(control: string | undefined, seed: number): Promise<Trespass> {
    const world = await openKeyWorld(control);
    const scene = { world, api: await apiOf(world.service.url), ...(await cast(world)) };
    const states = await Promise.all(scene.victims.map((victim) => world.stateOf(victim)));
    return new Trespass(scene, states, seed);
  }

  get done(): number {
    return this.#done;
  }

  async tryUpTo(target: number): Promise<void> {
    const { world, actors, victims } = this.#scene;
    while (this.#done < target && this.failures.length === 0) {
      const actor = actors[this.#done % actors.length];
      if (actor === undefined) return;
      const isSocket = Math.floor(this.#done / actors.length) % SOCKET_EVERY === 0;
      this.#done++;
      this.#counts[isSocket ? "overWebsockets" : "overHttp"]++;
      const failure = isSocket
        ? await trySocket(actor, this.#random, portOf(world))
        : await this.#rest.try(actor);
      if (failure !== undefined) this.failures.push(failure);
    }
    const states = await Promise.all(victims.map((victim) => world.stateOf(victim)));
    if (states.join() !== this.#states.join()) this.failures.push("something was changed");
    this.#counts.looks++;
    // What is found out already need not be waited for: websockets that nobody ends stay open for long.
    if (this.failures.length === 0) await this.#endKeys();
    for (const line of world.log.faults) this.failures.push(`logged: ${line}`);
    for (const line of world.log.leaks) this.failures.push(`a log tells ${line}`);
  }

  expectSubstance(): void {
    const untried = this.#scene.api.operations.filter(({ id }) => !this.#rest.operations.has(id));
    if (untried.length > 0) this.failures.push(`not tried: ${untried.map(({ id }) => id).join()}`);
    const { overWebsockets, looks } = this.#counts;
    if (
      overWebsockets < this.#scene.actors.length ||
      looks === 0 ||
      this.#closedAfterMs.length === 0
    ) {
      this.failures.push("too little was tried");
    }
  }

  expectSoonClosed(longestMs: number): void {
    const longest = Math.max(...this.#closedAfterMs);
    if (longest > longestMs) this.failures.push(`websockets closed after ${longest} ms`);
  }

  figures(): Readonly<Record<string, number>> {
    return {
      actors: this.#scene.actors.length,
      operations: this.#rest.operations.size,
      ...this.#counts,
      longestCloseMs: Math.round(Math.max(0, ...this.#closedAfterMs)),
      logLines: this.#scene.world.log.lines,
    };
  }

  async end(): Promise<void> {
    this.#rest.close();
    await this.#scene.world.close();
  }

  /** One way for a key to end after the other. */
  async #endKeys(): Promise<void> {
    const { world } = this.#scene;
    const turn = this.#counts.endings++;
    const how = ENDINGS[turn % ENDINGS.length];
    if (how === undefined) return;
    const { failures, closedAfterMs } = await endKey(world, `ending-${turn}`, how);
    this.#closedAfterMs.push(closedAfterMs);
    this.failures.push(...failures, ...(await loseRoot(world, `rootless-${turn}`)));
    this.failures.push(...(await tryThroughMirrors(world, `mirrored-${turn}`)));
    const [foreign] = this.#scene.victims;
    if (foreign === undefined) return;
    this.failures.push(...(await tryGrants(world, foreign, turn, this.#random)));
    await this.#tryTokenEverywhere(turn);
  }

  /** A token that is good opens no route and no websocket. */
  async #tryTokenEverywhere(turn: number): Promise<void> {
    const { world, api } = this.#scene;
    const victim = await world.newVictim(`token-${turn}`);
    const { access_token: key } = await newToken(world, victim);
    const actor = shut("an access token that is good", key, victim);
    const told: (string | undefined)[] = [];
    for (const operation of api.operations) told.push(await this.#rest.tryAt(actor, operation));
    for (const dialect of ["stock", "extended"] as const) {
      told.push(await trySocket(actor, this.#random, portOf(world), dialect));
    }
    const { status } = await world.service.request("POST", "/session", { key }, { key: null });
    if (status !== 401) told.push(`a token signs in: ${status}`);
    this.failures.push(...told.filter((each) => each !== undefined));
    this.#counts.routesOfTokens += api.operations.length;
  }
}

/** Whoever shows what opens nothing. */
function shut(name: string, key: string, victim: Victim): Actor {
  return {
    name,
    key,
    victim,
    isOfVictim: true,
    secrets: secretsOf(victim),
    must: "be_unauthorized",
  };
}

function secretsOf({
  user,
  nodeIds,
  keyIds,
  sessionIds,
  webhookIds,
  outline,
}: Victim): readonly string[] {
  return [
    ...nodeIds.map((_id, index) => secretOf(user, index)),
    outline,
    ...nodeIds.map((id) => id.slice(0, 23)),
    ...nodeIds.map(nodeKeyIn),
    ...keyIds,
    ...sessionIds,
    ...webhookIds,
  ];
}

function portOf({ service }: KeyWorld): number {
  return Number(new URL(service.url).port);
}

/** Makes the victims, and everybody who tries to reach what is theirs. */
async function cast(
  world: KeyWorld,
): Promise<{ readonly victims: readonly Victim[]; readonly actors: readonly Actor[] }> {
  const { service } = world;
  const victim = await world.newVictim(undefined);
  const fenced = await world.newVictim("fenced");
  const stranger = await world.newVictim("stranger");
  const gone = await world.newVictim("gone");
  const others = { victim, isOfVictim: false, secrets: secretsOf(victim) };
  const strangers = async (name: string, input: Parameters<KeyWorld["newKey"]>[1]) => ({
    name,
    ...others,
    key: (await world.newKey(stranger.user, input)).key,
  });
  const [outside = "", inside = ""] = fenced.nodeIds;
  const revoked = await world.newKey(victim.user);
  await service.accounts.revokeKey(victim.user, revoked.id);
  const expiresAt = Math.floor(service.now() / 1000) + 5;
  const expired = await world.newKey(victim.user, { expiresAt });
  // Used while it is good, so that it is known.
  await service.request("GET", "/api/v1/nodes", undefined, { key: expired.key });
  world.advance(6_000);
  await service.accounts.removeUser(gone.user);
  const reader = await world.newKey(victim.user, { scope: "read" });
  const limited = await world.newKey(fenced.user, { root: nodeKeyIn(inside), scope: "read" });
  const granted = await newToken(world, victim);
  const withdrawn = await newToken(world, victim);
  await form(service, "/oauth/revoke", { token: withdrawn.access_token });
  const actors: readonly Actor[] = [
    { ...(await strangers("another user", {})), must: "not_find" },
    {
      ...(await strangers("another user's limited key", {
        root: nodeKeyIn(stranger.nodeIds[0] ?? ""),
      })),
      must: "not_find",
    },
    { ...(await strangers("another user's read-only key", { scope: "read" })), must: "not_find" },
    {
      name: "a read-only key",
      key: reader.key,
      victim,
      isOfVictim: true,
      secrets: [],
      must: "not_write",
    },
    {
      name: "a limited key",
      key: limited.key,
      victim: { ...fenced, nodeIds: [outside] },
      isOfVictim: true,
      secrets: [
        secretOf(fenced.user, 0),
        nodeKeyIn(outside),
        ...fenced.keyIds,
        ...fenced.sessionIds,
        ...fenced.webhookIds,
      ],
      must: "not_find",
    },
    shut("a revoked key", revoked.key, victim),
    shut("an expired key", expired.key, victim),
    shut("a removed user's key", gone.key, victim),
    shut("a key of nobody", `ok_${"0".repeat(32)}`, victim),
    shut("an access token", granted.access_token, victim),
    shut("a refresh token", granted.refresh_token, victim),
    shut("a revoked access token", withdrawn.access_token, victim),
  ];
  return { victims: [victim, fenced], actors };
}
