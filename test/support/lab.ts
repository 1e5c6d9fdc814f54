import { Outline } from "../../src/core/outline.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { ALL_REPAIR_STEPS, type RepairSteps } from "../../src/core/merge/repair-steps.ts";
import * as Y from "yjs";
import { Device, Server } from "./replicas.ts";
import { plant, type Keys, type Notation } from "./outline-notation.ts";
import { seededRandom } from "./seeded-random.ts";

/** A clock that stands still until it is moved. Unix milliseconds. */
export class HandClock {
  nowMs = Date.UTC(2026, 10, 20, 12);

  readonly now = (): number => this.nowMs;

  get nowSec(): number {
    return Math.floor(this.nowMs / 1000);
  }

  passSeconds(seconds: number): void {
    this.nowMs += seconds * 1000;
  }
}

/** An outline of its own, as on a server, that nobody shares. */
export function soloOutline(clock = new HandClock(), client = 1): Outline {
  const doc = new Y.Doc();
  doc.clientID = client;
  const random = seededRandom(client);
  return Outline.attach(doc, { id: newOutlineId(random), now: clock.now, random });
}

/** A server and devices that share an outline; updates travel when a test says so. */
export class Lab {
  readonly clock = new HandClock();
  readonly server: Server;
  readonly devices: readonly Device[];
  /** The keys of the first outline, which all have. */
  readonly keys: Keys;

  constructor(notation: Notation, devices = 2, steps: Partial<RepairSteps> = {}) {
    const random = seededRandom(7);
    const { now } = this.clock;
    this.server = new Server({ client: 1, random, now }, { ...ALL_REPAIR_STEPS, ...steps });
    this.devices = Array.from(
      { length: devices },
      (_, index) => new Device({ client: 10 + index, random, now }),
    );
    this.keys = plant(this.server.outline, notation);
    this.pullAll();
  }

  device(index: number): Device {
    const device = this.devices[index];
    if (device === undefined) throw new Error(`no device ${index}`);
    return device;
  }

  /** Sends what a device has written; repair follows each update. */
  push(device: Device): void {
    for (const update of device.unsent.splice(0)) {
      if (!this.server.receive(update, device)) throw new Error("an update is missing");
      this.server.repair.run();
    }
  }

  pull(device: Device): void {
    for (const { update, from } of this.server.log.slice(device.seen)) {
      if (from !== device) device.receive(update);
    }
    device.seen = this.server.log.length;
  }

  pullAll(): void {
    for (const device of this.devices) this.pull(device);
  }

  /** All send in their order, then all receive. */
  meet(): void {
    this.server.repair.run();
    for (const device of this.devices) this.push(device);
    this.pullAll();
  }
}
