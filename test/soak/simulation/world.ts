import type { IncomingMessage } from "node:http";
import type { UserId } from "../../../src/accounts/account-store.ts";
import type { SessionReply } from "../../../client/lib/platform.ts";
import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { Agenda } from "./agenda.ts";
import type { Connection } from "./connection.ts";
import { type BrokenDevice, Device, type Reception } from "./device.ts";
import { DurableOutline } from "./durable-outline.ts";
import { actAtDevice } from "./person.ts";
import { Script } from "./script.ts";
import { ServerDisk } from "./server-disk.ts";
import { type BrokenServer, Server, type ServerLimits } from "./server.ts";
import { StockClient } from "./stock-client.ts";
import { User } from "./user.ts";

/** Parts that a control replaces by broken ones. */
export interface Broken {
  readonly server?: BrokenServer;
  readonly device?: BrokenDevice;
}

/** How often things happened, by name. */
export type Counts = Record<string, number>;

/** Between two looks of a program: not a multiple of anything else here. */
const POLL_MS = 7_333;
const DAY_MS = 24 * 60 * 60_000;

/** The whole system in one process: a server, its disk, users, their devices, and what is between. */
export class World implements Reception {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly counts: Counts = {};
  /** What must not have happened. */
  readonly defects: string[] = [];
  readonly users: User[] = [];
  readonly disk: ServerDisk;
  server: Server | undefined;
  readonly #broken: Broken;
  readonly #mirrors: boolean;
  readonly #limits: ServerLimits;
  #undoing: Device | undefined;

  constructor(seed: number, broken: Broken) {
    this.agenda = new Agenda(seed);
    this.random = this.agenda.fork();
    this.#broken = broken;
    // In some worlds, so that the seeds of the others go on meaning the same.
    this.#mirrors = [1, 3].includes(seed % 7);
    const isTight = this.random() < 0.5;
    const tail = isTight ? { updates: 20, bytes: 4_000 } : { updates: 400, bytes: 100_000 };
    this.disk = new ServerDisk(this.agenda, tail);
    this.#limits = limitsOf(isTight, this.random);
  }

  readonly count = (what: string): void => {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  };

  readonly onDefect = (error: unknown): void => {
    this.count("defects");
    this.defects.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };

  /** Everybody arrives. */
  async begin(): Promise<void> {
    this.startServer();
    await this.#addUser("me", { devices: 2 + integerBelow(this.random, 2), pages: 1 });
    if (this.random() < 0.5) await this.#addUser("other", { devices: 1, pages: 0 });
    for (const { devices, pages } of this.users) {
      for (const device of devices) device.open();
      for (const page of pages) page.connect();
    }
    this.poll();
  }

  /** Programs ask what has changed, now and from now on. */
  poll(): void {
    const { agenda, server } = this;
    for (const { poller } of server?.isListening === true ? this.users : []) {
      if (server === undefined) break;
      for (const problem of poller.look(server, agenda.now())) this.defects.push(problem);
      this.count("looks");
    }
    agenda.after(POLL_MS, () => this.poll());
  }

  /** One of all who are there does something. */
  act(): void {
    const user = this.random() < 0.85 ? this.users[0] : oneOf(this.random, this.users);
    if (user === undefined) return;
    const chance = this.random();
    if (chance < 0.28) return oneOf(this.random, user.scripts).act();
    const page = user.pages[0];
    if (chance < 0.34 && page !== undefined) return page.act();
    const device = oneOf(this.random, user.devices);
    if (!device.isOn) return;
    const run = oneOf(this.random, device.runs);
    const habits = { undoes: device === this.#undoing, mirrors: this.#mirrors };
    actAtDevice(device, run, user.claims, habits);
  }

  startServer(): void {
    if (this.server?.isRunning === true) return;
    const { agenda, disk, onDefect, count } = this;
    const broken = this.#broken.server ?? {};
    this.server = new Server({ agenda, disk, limits: this.#limits, broken, onDefect, count });
  }

  crashServer(isMachineAlive: boolean): void {
    const { server } = this;
    if (server?.isRunning !== true) return;
    if (this.disk.isCommitting) this.count("server crashes during a commit");
    this.count("server crashes");
    server.crash(isMachineAlive);
    this.disk.crash(oneOf(this.random, ["nothing", "nothing", "part", "all"]));
  }

  /** After a crash: what was on the disk is. */
  checkDisk(): void {
    for (const { durable } of this.users) {
      try {
        durable.reread();
      } catch (error) {
        this.onDefect(error);
      }
    }
  }

  addDevice(user: User, name: string, key: string): Device {
    const { agenda, onDefect, count } = this;
    const { claims, durable } = user;
    const broken = this.#broken.device ?? {};
    const device = new Device({
      agenda,
      name,
      key,
      reception: this,
      claims,
      durable,
      broken,
      onDefect,
      count,
    });
    user.devices.push(device);
    return device;
  }

  addPage(user: User, key: string): StockClient {
    const { agenda, count } = this;
    const { claims } = user;
    const mirrors = this.#mirrors;
    const page = new StockClient({ agenda, gate: this, claims, key, mirrors, count });
    user.pages.push(page);
    return page;
  }

  /** A new key of a user; undefined when the server can't make one now. */
  async newKey({ name }: User): Promise<{ readonly id: string; readonly key: string } | undefined> {
    const { server } = this;
    if (server?.isListening !== true) return undefined;
    const created = server.accounts.createKey(name as UserId, { name: "a device" });
    const made = await created.catch(() => undefined);
    return made?.kind === "created" ? made : undefined;
  }

  /** Lets things happen until something has come. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const done = promise.finally(() => (isDone = true));
    done.catch(() => undefined);
    if (!(await this.agenda.run(() => isDone, DAY_MS)))
      throw new Error("what is waited for does not come");
    return done;
  }

  // Where devices knock.

  upgrade(request: IncomingMessage, connection: Connection): boolean {
    return this.server?.upgrade(request, connection) ?? false;
  }

  async session(key: string): Promise<SessionReply> {
    const { server } = this;
    if (server?.isListening !== true) return { kind: "unknown" };
    try {
      const principal = await server.accounts.authenticate(key);
      return principal === undefined
        ? { kind: "signed_out" }
        : { kind: "signed_in", outline: principal.outline };
    } catch {
      return { kind: "unknown" };
    }
  }

  async #addUser(
    name: string,
    { devices, pages }: { readonly devices: number; readonly pages: number },
  ): Promise<void> {
    const { agenda, onDefect, count } = this;
    if (this.server === undefined) throw new Error("users are added by a server");
    const added = await this.until(this.server.accounts.addUser(name));
    if (added.kind !== "added") throw new Error(added.kind);
    const { outline } = added.user;
    const user = new User(name, outline, new DurableOutline(this.disk, outline));
    this.users.push(user);
    for (let number = 1; number <= devices; number++) {
      const key = await this.#keyFor(user);
      const device = this.addDevice(user, `${name}'s device ${number}`, key);
      // Of one device what was typed may be undone: of the others all of it must stay.
      if (number === devices && this.random() < 0.5) this.#undoing ??= device;
    }
    for (let number = 1; number <= pages; number++) this.addPage(user, await this.#keyFor(user));
    const { claims, durable } = user;
    const key = await this.#keyFor(user);
    const server = (): Server | undefined => this.server;
    const mirrors = this.#mirrors;
    user.scripts.push(
      new Script({ agenda, key, claims, durable, server, onDefect, count, mirrors }),
    );
  }

  async #keyFor(user: User): Promise<string> {
    const made = await this.until(this.newKey(user));
    if (made === undefined) throw new Error("a key can be made");
    return made.key;
  }
}

/** A server for small outlines and short days, in which everything happens that takes years. */
function limitsOf(isTight: boolean, random: Random): ServerLimits {
  return {
    documents: {
      memoryBytes: isTight ? 100_000 : 100_000_000,
      idleMs: 5_000,
      sweepMs: 1_500,
      minCompactionBytes: 2_000 + integerBelow(random, 20_000),
      graceMs: 2 * DAY_MS,
      purgeQuietMs: 300,
      purgeEveryMs: 20_000,
      structsPerClient: isTight ? 100 : 64_000,
      maxStructsAtOnce: isTight ? 30 : 2_000,
    },
    sync: { queuedBytes: 24_000, idleDocumentMs: isTight ? 1_000 : 30_000 },
  };
}
