import type { Browser } from "playwright-core";
import { afterEach, beforeAll, expect, vi } from "vitest";
import { AppServer } from "./app-server.ts";
import { sharedChromium } from "./chromium.ts";
import { Device, type DeviceOptions } from "./device.ts";

/** A browser and a server for many tests; every test has people and devices of its own. */
export interface Stage {
  readonly browser: Browser;
  readonly server: AppServer;
  /** A new person with an empty outline: their key. */
  person(): Promise<string>;
  /** A device that signed in before and shows the outline. */
  device(key: string, options?: DeviceOptions): Promise<Device>;
  /** A device before the sign-in. */
  stranger(options?: DeviceOptions): Promise<Device>;
}

/** Starting and loading is slow where many tests share few cores. */
const TIMEOUT_MS = 240_000;

/** Of all the files that this process runs one after the other. */
let people = 0;

/** To be called once, in a test file. */
export function useStage(): Stage {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
  let browser: Browser | undefined;
  let server: AppServer | undefined;
  const devices: Device[] = [];

  beforeAll(async () => {
    browser = await sharedChromium();
    server = await AppServer.shared();
  });
  afterEach(async ({ task }) => {
    const closed = devices.splice(0);
    const problems = closed.flatMap((device) => device.problems);
    const isDone = task.result?.state !== "fail";
    await Promise.all(closed.map((device) => device.close(isDone)));
    expect(problems).toEqual([]);
  });

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
