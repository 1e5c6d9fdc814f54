import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { AppServer } from "./app-server.ts";
import { sharedChromium } from "./chromium.ts";
import { SharedDesk, type Desk } from "./desk.ts";
import { Device, type DeviceOptions } from "./device.ts";

/** A browser and a server for many tests; every test has people and devices of its own. */
export interface Stage {
  readonly browser: Browser;
  readonly server: AppServer;
  /** A new person with an empty outline: their key. */
  person(): Promise<string>;
  /** A device that signed in before and shows the outline. */
  device(key: string, options?: DeviceOptions): Promise<Device>;
  /**
   * Devices of one person that show these lines, two spaces a level, and no others. To open one takes
   * longer than most tests: they are those of the last desk. What a device or a person keeps
   * (settings, stars, the trash) they have from there.
   */
  desk(...lines: readonly string[]): Promise<Desk>;
  /** A device before the sign-in. */
  stranger(options?: DeviceOptions): Promise<Device>;
}

/** Starting and loading is slow where many tests share few cores. */
const TIMEOUT_MS = 240_000;

/** Of all the files that this process runs one after the other. */
let people = 0;

/** To be called once, in a test file. @param deskOptions of the devices of its desk */
export function useStage(deskOptions: DeviceOptions = {}): Stage {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
  let browser: Browser | undefined;
  let server: AppServer | undefined;
  const devices: Device[] = [];
  let shared: SharedDesk | undefined;

  beforeAll(async () => {
    browser = await sharedChromium();
    server = await AppServer.shared();
  });
  afterEach(async ({ task }) => {
    const closed = devices.splice(0);
    const used = [...closed, ...(shared?.devices ?? [])];
    const problems = used.flatMap((device) => device.problems.splice(0));
    const isDone = task.result?.state !== "fail";
    await Promise.all(closed.map((device) => device.close(isDone)));
    if (!isDone) await closeDesk(isDone);
    expect(problems).toEqual([]);
  });
  afterAll(() => closeDesk(true));

  const closeDesk = async (isDone: boolean): Promise<void> => {
    const left = shared?.devices.splice(0) ?? [];
    shared = undefined;
    await Promise.all(left.map((device) => device.close(isDone)));
  };

  return {
    get browser() {
      if (browser === undefined) throw new Error("no browser was started");
      return browser;
    },
    get server() {
      if (server === undefined) throw new Error("no server was started");
      return server;
    },
    person() {
      people++;
      return this.server.addUser(`person-${people}`);
    },
    async desk(...lines) {
      const open = (key: string) => Device.open(this.browser, this.server, { ...deskOptions, key });
      shared ??= new SharedDesk(this.server, await this.person(), open);
      return shared.lay(lines);
    },
    async stranger(options = {}) {
      const device = await Device.open(this.browser, this.server, options);
      devices.push(device);
      return device;
    },
    async device(key, options = {}) {
      const device = await this.stranger({ ...options, key });
      await device.ready();
      return device;
    },
  };
}
