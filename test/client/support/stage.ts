import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { AppServer } from "./app-server.ts";
import { launchChromium } from "./chromium.ts";
import { Device, type DeviceOptions } from "./device.ts";

/** A browser, and a server for a file of tests; every test has people and devices of its own. */
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

/** Of all the files that this process runs one after the other; it ends with the process. */
let shared: Promise<Browser> | undefined;

async function sharedBrowser(): Promise<Browser> {
  const known = await shared?.catch(() => undefined);
  if (known?.isConnected() === true) return known;
  shared = launchChromium();
  return shared;
}

/**
 * For tests of what happens within a page: without the service worker, whose installing takes a third
 * of the time that a page takes.
 */
export function usePages(): Stage {
  return useStage({}, { serviceWorkers: "block" });
}

/**
 * To be called once, in a test file.
 *
 * @param environment options of the server
 * @param context of all devices
 */
export function useStage(
  environment: Readonly<Record<string, string>> = {},
  context: BrowserContextOptions = {},
): Stage {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
  let browser: Browser | undefined;
  let server: AppServer | undefined;
  let people = 0;
  const devices: Device[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
    server = await AppServer.start(environment);
  });
  afterEach(async () => {
    const closed = devices.splice(0);
    const problems = closed.flatMap((device) => device.problems);
    await Promise.all(closed.map((device) => device.close()));
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await server?.stop();
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
      const merged = { ...options, context: { ...context, ...options.context } };
      const device = await Device.open(this.browser, this.server, merged);
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
