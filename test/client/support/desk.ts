import { deepEqual } from "node:assert/strict";
import type { AppServer } from "./app-server.ts";
import type { Device } from "./device.ts";
import { eventually } from "./eventually.ts";

/** Lines of a test, and devices that show them. */
export interface Desk {
  /** With it the person has signed in. */
  readonly key: string;
  readonly device: Device;
  readonly lineOf: (name: string) => string;
  /** Another device of the same person, which shows the same. */
  readonly beside: () => Promise<Device>;
  /** What the server has, as indented names. */
  readonly stored: () => Promise<readonly string[]>;
}

/** A person whose devices stay open from test to test, while their lines are others in each. */
export class SharedDesk {
  readonly #server: AppServer;
  readonly #key: string;
  readonly #open: (key: string) => Promise<Device>;
  readonly devices: Device[] = [];

  constructor(server: AppServer, key: string, open: (key: string) => Promise<Device>) {
    this.#server = server;
    this.#key = key;
    this.#open = open;
  }

  async lay(lines: readonly string[]): Promise<Desk> {
    const [server, key] = [this.#server, this.#key];
    // Before the others go: an outline without lines is another view.
    const keys = await server.plant(lines, key);
    for (const device of this.devices) await device.rest();
    const first = this.devices[0] ?? (await this.#another());
    for (const device of this.devices) await this.#shows(device, keys);
    return {
      key,
      device: first,
      lineOf: (name) => {
        const line = keys.get(name);
        if (line === undefined) throw new Error(`no line was made as ${name}`);
        return line;
      },
      beside: async () => {
        const other = this.devices[1] ?? (await this.#another());
        await other.shows(await first.sketch());
        return other;
      },
      stored: () => server.sketch(key),
    };
  }

  async #another(): Promise<Device> {
    const device = await this.#open(this.#key);
    this.devices.push(device);
    await device.ready();
    return device;
  }

  /** Waits until there are no other lines; of many, only the first are in the page. */
  async #shows(device: Device, keys: ReadonlyMap<string, string>): Promise<void> {
    const due = [...keys.values()];
    await eventually(
      async () => {
        // Again and again: a device may not have sent the last ones yet.
        await this.#removeOthers(due);
        return device.rows();
      },
      (rows) => {
        const seen = rows.map((row) => row.key);
        deepEqual(seen, due.slice(0, Math.max(seen.length, Math.min(due.length, 10))));
      },
    );
  }

  async #removeOthers(due: readonly string[]): Promise<void> {
    for (const { id, parent_id } of await this.#server.everything(this.#key)) {
      if (parent_id !== null || due.includes(id.slice(-12))) continue;
      await this.#server.call("DELETE", `nodes/${id}`, undefined, this.#key);
    }
  }
}
