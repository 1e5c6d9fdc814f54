import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Balance } from "./cluster/balance.ts";
import { hostAndPort } from "./cluster/host-and-port.ts";
import { InternalListener } from "./cluster/internal-listener.ts";
import { Passer } from "./cluster/passer.ts";
import type { Config } from "./config.ts";
import type { OutlineId } from "./core/node-key.ts";
import { UnavailableError } from "./documents/log/unavailable-error.ts";
import { listenFailure } from "./listen-failure.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenService } from "./open-service.ts";
import type { Places } from "./open-store.ts";
import type { SyncServer } from "./sync/sync-server.ts";

/** How long a balancer may take to see that a process is about to end. */
const LEAVE_MS = 2000;
/** How long the other processes may believe that they know where an outline is. */
const PEERS_MS = 1000;
/** What is answered at all is answered sooner, but for what waits until something happens. */
const HELD_MS = 1000;
/** How long a command waits for an outline to come here, and how often it looks. */
const BRING_MS = 10_000;
const LOOK_MS = 100;

/** Listens to the other processes of the service, when there may be any. @throws StartError */
export async function listenForOthers({
  clusterListen,
}: Config): Promise<InternalListener | undefined> {
  if (clusterListen === undefined) return undefined;
  const address = hostAndPort(clusterListen);
  try {
    return await InternalListener.open(address);
  } catch (error) {
    const variable = "OUTLINE_CLUSTER_LISTEN";
    throw listenFailure(error, address, { host: variable, port: variable });
  }
}

/** What a process has to do with the others that serve the same database. */
export class Cluster {
  readonly passer: Passer;
  readonly #service: OpenService;
  readonly #places: Places;
  readonly #listener: InternalListener;
  readonly #balance: Balance;
  #hasBegun = false;
  #isLeaving = false;

  /** Undefined for a process that has its store alone. */
  static of(
    service: OpenService,
    listener: InternalListener | undefined,
    metrics: Metrics,
  ): Cluster | undefined {
    const { places } = service.store;
    if (places === undefined || listener === undefined) return undefined;
    return new Cluster(service, { places, listener, metrics });
  }

  private constructor(
    service: OpenService,
    parts: {
      readonly places: Places;
      readonly listener: InternalListener;
      readonly metrics: Metrics;
    },
  ) {
    const { places, listener, metrics } = parts;
    this.#service = service;
    this.#places = places;
    this.#listener = listener;
    const { secret } = places;
    const { onPassed } = metrics.clusterEvents;
    this.passer = new Passer({ places, secret, onPassed });
    this.#balance = new Balance(places, service.documents);
    service.beside((outline) => this.#bringHere(outline));
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Answers the others from now on. */
  begin({ takePassed }: Pick<FastifyInstance, "takePassed">, sync: SyncServer): void {
    const { documents } = this.#service;
    this.#hasBegun = true;
    this.#listener.begin({
      secret: this.#places.secret,
      request: takePassed,
      upgrade: (request, socket, head) => void sync.handleUpgrade(request, socket, head),
      handOver: (outline, to) =>
        this.#places.release([outline], (each) => documents.handOver(each), to),
    });
    this.#places.tellLoad(() => documents.load);
    this.#balance.begin();
  }

  /**
   * Waits until nothing more should come: first from a balancer, then from the other processes, which
   * let requests wait for whoever comes next. Meanwhile outlines in use go to the others one by one, so
   * that their clients don't all come back in the same moment.
   */
  async leave(): Promise<void> {
    if (!this.#hasBegun) return;
    this.#isLeaving = true;
    await delay(LEAVE_MS);
    await this.#places.leave().catch(() => undefined);
    await Promise.all([this.#balance.moveAll(PEERS_MS), delay(PEERS_MS)]);
  }

  /**
   * Resolves when what others have passed on is answered. Of what this process passes on it ends what
   * has no end, and a little later what is held until something happens.
   */
  finish(): Promise<void> {
    this.passer.endEndless();
    setTimeout(() => this.passer.endWaiting(), HELD_MS).unref();
    return this.#listener.idle();
  }

  async close(): Promise<void> {
    this.#balance.close();
    this.passer.close();
    await this.#listener.close();
  }

  async #bringHere(outline: OutlineId): Promise<void> {
    for (const giveUpAt = Date.now() + BRING_MS; Date.now() < giveUpAt; await delay(LOOK_MS)) {
      const place = await this.#places.of(outline);
      if (place.kind === "here") return;
      if (place.kind !== "elsewhere") continue;
      await this.passer.handOver(place.owner, outline);
      this.#places.forget(outline);
    }
    throw new UnavailableError("the outline is served by another process");
  }
}
