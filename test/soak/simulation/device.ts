import type { SocketListener, Socket } from "../../../client/lib/connection/socket.ts";
import type { LastWords } from "../../../client/lib/last-words.ts";
import { leading } from "../../../client/lib/leading.ts";
import { openReplica } from "../../../client/lib/open.ts";
import type { Platform, SessionReply } from "../../../client/lib/platform.ts";
import type { Replica } from "../../../client/lib/replica.ts";
import { MemoryDisk } from "../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../support/memory-replica/memory-replica-store.ts";
import { StoreError, type StoredReplica } from "../../../client/lib/store/replica-store.ts";
import type { OutlineId, Random } from "../../../src/core/node-key.ts";
import { MemoryTabs } from "../../support/memory-tabs.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import { integerBelow } from "../../support/seeded-random.ts";
import { AcknowledgementWitness } from "./acknowledgement-witness.ts";
import type { Agenda } from "./agenda.ts";
import type { Claim, Claims } from "./claims.ts";
import { DeviceStore } from "./device-store.ts";
import type { DurableOutline } from "./durable-outline.ts";
import { Link } from "./link.ts";
import { Program } from "./program.ts";
import { WebsocketClient, type Gate } from "./websocket-client.ts";

/** What a server says about a key, or nothing when none answers. */
export interface Reception extends Gate {
  session(key: string): Promise<SessionReply>;
}

/** What a control does to devices. */
export interface BrokenDevice {
  readonly stored?: (stored: StoredReplica) => StoredReplica;
  readonly socket?: (socket: Socket) => Socket;
}

export interface DeviceOptions {
  readonly agenda: Agenda;
  readonly name: string;
  readonly key: string;
  readonly reception: Reception;
  readonly claims: Claims;
  readonly durable: DurableOutline;
  readonly broken: BrokenDevice;
  readonly onDefect: (error: unknown) => void;
  readonly count: (what: string) => void;
}

/** One run of the app on a device: a program or a tab. */
export interface Run {
  readonly program: Program;
  readonly store: DeviceStore;
  readonly sockets: Set<WebsocketClient>;
  /** Undefined while it is being opened. */
  replica: Replica | undefined;
  /** What comes out of the replica's document now is this claim's. */
  claim: Claim | undefined;
}

/** A person's device: its own disk, its own way to the server, and the real client on it. */
export class Device {
  readonly name: string;
  readonly link: Link;
  readonly random: Random;
  key: string;
  readonly #options: DeviceOptions;
  readonly #tabs = new MemoryTabs();
  readonly #skewMs: number;
  readonly #words = new Map<string, Uint8Array>();
  readonly #claimOf = new WeakMap<Uint8Array, Claim>();
  readonly #online = new Set<() => void>();
  readonly #hide = new Set<() => void>();
  #disk = new MemoryDisk();
  #runs: Run[] = [];

  constructor(options: DeviceOptions) {
    const { agenda, name, key } = options;
    this.#options = options;
    this.name = name;
    this.key = key;
    this.link = new Link(agenda);
    this.random = agenda.fork();
    this.#skewMs = skewOf(this.random);
  }

  get runs(): readonly Run[] {
    return this.#runs;
  }

  get isOn(): boolean {
    return this.#runs.length > 0;
  }

  get disk(): MemoryDisk {
    return this.#disk;
  }

  /** Begins a run; another one while one runs is another tab. */
  open(): void {
    const { agenda, onDefect, broken } = this.#options;
    const program = new Program(agenda);
    const store = new DeviceStore({
      inner: new MemoryReplicaStore(this.#disk),
      program,
      onStored: (own) => this.#kept(own),
      altered: broken.stored ?? ((stored) => stored),
    });
    const run: Run = { program, store, sockets: new Set(), replica: undefined, claim: undefined };
    this.#runs.push(run);
    const tabs = this.#tabs.open((work) => program.setTimeout(work, 1));
    program.onDeath(() => tabs.close());
    const loadLeading = () => Promise.resolve(leading);
    openReplica({ store, tabs, platform: this.#platform(run), loadLeading }).then(
      (replica) => this.#opened(run, replica),
      (error: unknown) => {
        this.#runs = this.#runs.filter((each) => each !== run);
        if (!(error instanceof StoreError)) onDefect(error);
      },
    );
  }

  /** The program is killed; its disk stays. */
  crash(run: Run, isSystemAlive: boolean): void {
    const { claims, count, durable } = this.#options;
    claims.forgotten(this, durable);
    if (run.store.isWriting) count("devices killed while they write");
    run.program.kill();
    for (const socket of run.sockets) socket.abandon(isSystemAlive);
    this.#runs = this.#runs.filter((each) => each !== run);
    claims.forget((claim) => claim.run === run && !claim.isKept && !claim.isSaved);
  }

  crashAll(isSystemAlive: boolean): void {
    for (const run of this.#runs) this.crash(run, isSystemAlive);
  }

  /** Ends a run as a person does. */
  async close(run: Run): Promise<void> {
    this.#runs = this.#runs.filter((each) => each !== run);
    await run.replica?.close().catch((error: unknown) => {
      if (!(error instanceof StoreError)) this.#options.onDefect(error);
    });
    for (const socket of run.sockets) socket.abandon(true);
    run.program.kill();
    this.#options.claims.forgotten(this, this.#options.durable);
    this.#options.claims.forget((claim) => claim.run === run && !claim.isKept && !claim.isSaved);
  }

  /** From now on another disk is in the device, and what was only on the old one is gone. */
  useDisk(disk: MemoryDisk): void {
    this.crashAll(true);
    this.#disk = disk;
    this.#words.clear();
    const { claims } = this.#options;
    claims.forget((claim) => claim.maker === this && !claim.isSaved);
  }

  cutOff(how: "hang" | "cut"): void {
    this.link[how]();
  }

  /** The network is there again, and now and then the system says so. */
  heal(): void {
    this.link.heal();
    if (this.random() < 0.5) for (const listener of this.#online) listener();
  }

  /** The app may be ended without notice from now on. */
  hideAll(): void {
    for (const listener of this.#hide) listener();
  }

  #opened(run: Run, replica: Replica): void {
    const { claims, durable, onDefect, count } = this.#options;
    run.replica = replica;
    const follow = (): void => {
      replica.outline.doc.on("update", (update: Uint8Array) => {
        if (run.claim !== undefined) this.#claimOf.set(update, run.claim);
      });
    };
    follow();
    replica.onReplaced(() => {
      count("replicas replaced");
      claims.rewritten(this);
      follow();
    });
    replica.onStatus(({ kind }) => {
      if (kind !== "saved") return;
      count("statuses saved");
      const isMine = (claim: Claim): boolean =>
        claim.maker === this && (claim.run === run || (claim.isKept && !this.#isLive(claim.run)));
      const missing = claims.save(isMine, durable);
      if (missing.length > 0) onDefect(new Error(`"saved" of ${this.name}: ${missing.join()}`));
    });
  }

  #isLive(run: object): boolean {
    return this.#runs.some((each) => each === run);
  }

  #kept(own: readonly Uint8Array[]): void {
    for (const update of own) {
      const claim = this.#claimOf.get(update);
      if (claim !== undefined) claim.isKept = true;
    }
  }

  #platform(run: Run): Platform {
    const { agenda, reception } = this.#options;
    const { program } = run;
    const random = agenda.fork();
    return {
      now: () => agenda.now() + this.#skewMs + driftOf(this.#skewMs, agenda.elapsed()),
      elapsed: agenda.elapsed,
      random,
      randomBytes: (length) => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
      setTimer(callback, ms) {
        const timer = program.setTimeout(callback, ms);
        return () => program.clearTimeout(timer);
      },
      yieldNow: () => program.yieldNow(),
      openSocket: (outline, listener) => this.#openSocket(run, outline, listener),
      askSession: async () => {
        await program.wait(this.link.delay());
        if (this.link.state === "hung") await program.wait(4000);
        const answer = this.link.state === "up" ? reception.session(this.key) : undefined;
        const reply = (await answer) ?? { kind: "unknown" };
        await program.wait(this.link.delay());
        return reply;
      },
      onOnline: (listener) => listening(this.#online, listener, program),
      onHide: (listener) => listening(this.#hide, listener, program),
      lastWords: this.#lastWords(),
    };
  }

  #openSocket(run: Run, outline: OutlineId | undefined, listener: SocketListener): Socket {
    const { reception, durable, onDefect, count, broken } = this.#options;
    const witness = new AcknowledgementWitness(
      () => durable,
      (what) => onDefect(new Error(`acknowledged to ${this.name} and not on the disk: ${what}`)),
      count,
    );
    count("connections");
    const heard = witness.listening({
      ...listener,
      onOpen: () => listener.onOpen(),
      onMessage: (bytes) => listener.onMessage(bytes),
      onClose: (code) => {
        run.sockets.delete(socket);
        listener.onClose(code);
      },
    });
    const socket = new WebsocketClient(
      {
        link: this.link,
        gate: reception,
        path: `/sync/${outline ?? "me"}`,
        protocols: [SUBPROTOCOL.extended, this.key],
      },
      heard,
    );
    run.sockets.add(socket);
    return witness.sending(broken.socket?.(socket) ?? socket);
  }

  #lastWords(): LastWords {
    return {
      keep: (name, words) => this.#words.set(name, words).has(name),
      forget: (name) => void this.#words.delete(name),
      read: () => [...this.#words].map(([name, words]) => ({ name, words })),
    };
  }
}

/** Adds a listener for as long as its program lives. */
function listening<T extends () => void>(
  listeners: Set<T>,
  listener: T,
  program: Program,
): () => void {
  listeners.add(listener);
  const stop = (): boolean => listeners.delete(listener);
  program.onDeath(stop);
  return stop;
}

const YEAR_MS = 365 * 86_400_000;

/** How far a device's clock is off: most are right, some by seconds, some by a year either way. */
function skewOf(random: Random): number {
  if (random() >= 0.3) return 0;
  const skewMs = integerBelow(random, 4000) - 2000;
  return Math.abs(skewMs) < 1_000 ? skewMs : Math.sign(skewMs) * YEAR_MS;
}

/** Clocks that are off by seconds drift too: a second in eight minutes. */
function driftOf(skewMs: number, elapsedMs: number): number {
  return Math.abs(skewMs) === YEAR_MS ? 0 : Math.round((Math.sign(skewMs) * elapsedMs) / 500);
}

/** What is on a device's disk now, as a backup of the device or a copied profile has it. */
export async function copyOfDisk(disk: MemoryDisk): Promise<MemoryDisk> {
  const copy = new MemoryDisk();
  const to = new MemoryReplicaStore(copy);
  const stored = await new MemoryReplicaStore(disk).read();
  const { updates, outbox, position, clients, outline, sentUpTo } = stored;
  const copied: Uint8Array[] = [];
  for await (const update of updates) copied.push(update);
  await to.replace({ updates: copied, own: outbox.map(({ update }) => update), position, clients });
  const isSent = outbox.some(({ number }) => number <= sentUpTo);
  if (outline !== undefined || isSent) await to.write({ ...(outline && { outline }), isSent });
  return copy;
}
