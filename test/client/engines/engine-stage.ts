import { afterAll, afterEach, beforeAll, describe, expect, vi } from "vitest";
import { AppServer } from "../support/app-server.ts";
import type { Engine, EngineName } from "./engine.ts";
import { EngineDevice } from "./engine-device.ts";
import { demandedEngines, findEngine } from "./installed-engines.ts";

/** What a scenario has. */
export interface EngineStage {
  /** With it the person of all scenarios signs in. */
  readonly key: string;
  /** The device of all scenarios, which looks at new lines: two spaces a level, bold between `**`. */
  desk(...lines: readonly string[]): Promise<EngineDesk>;
  /** Another device of the same person, which looks at the same lines. */
  beside(desk: EngineDesk): Promise<EngineDevice>;
}

/** Lines of a scenario, below a line of its own that is looked into, and a device that shows them. */
export interface EngineDesk {
  readonly device: EngineDevice;
  /** The line that is looked into. */
  readonly root: string;
  lineOf(name: string): string;
  /** What the server has of them, as indented names. */
  readonly stored: () => Promise<readonly string[]>;
  /** Puts a line below the others, as a program does. */
  add(name: string): Promise<string>;
  /** Gives a line another name, as a program does. */
  rename(line: string, name: string): Promise<void>;
}

/** Starting and loading is slow where many tests share few cores. */
const TIMEOUT_MS = 240_000;

/**
 * The scenarios of one engine, as tests. Where the machine does not have it they are skipped, which
 * is said at the end of the run, unless OUTLINE_TEST_ENGINES demands it.
 */
export async function inEngine(
  name: EngineName,
  scenarios: readonly ((stage: EngineStage) => void)[],
): Promise<void> {
  const found = await findEngine(name);
  const isDemanded = demandedEngines(process.env["OUTLINE_TEST_ENGINES"]).has(name);
  if (found.kind === "missing" && isDemanded) {
    throw new Error(`OUTLINE_TEST_ENGINES demands ${name}: install ${found.what}`);
  }
  describe.skipIf(found.kind === "missing")(`in ${name}`, () => {
    if (found.kind === "missing") return;
    const stage = useEngineStage(found.start);
    for (const scenario of scenarios) scenario(stage);
  });
}

function useEngineStage(start: () => Promise<Engine>): EngineStage {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
  let parts: { readonly server: AppServer; readonly engine: Engine } | undefined;
  /** Signing in takes longer than most scenarios: they share one. */
  let shared: EngineDevice | undefined;
  const others: EngineDevice[] = [];

  const started = () => {
    if (parts === undefined) throw new Error("no browser was started");
    return parts;
  };
  const openDevice = async (): Promise<EngineDevice> => {
    const { engine, server } = started();
    const device = await EngineDevice.open(await engine.profile(), server);
    others.push(device);
    await device.signIn(server.key);
    return device;
  };

  beforeAll(async () => {
    const [server, engine] = await Promise.all([AppServer.start(), start()]);
    parts = { server, engine };
  });
  afterEach(async ({ task }) => {
    // What a failed scenario has left behind is not for the next one.
    if (task.result?.state === "fail" && shared !== undefined) {
      others.push(shared);
      shared = undefined;
    }
    const closed = others.splice(0);
    for (const device of closed) await device.close();
    await shared?.collectProblems();
    const devices = shared === undefined ? closed : [...closed, shared];
    expect(devices.flatMap((device) => device.problems.splice(0))).toEqual([]);
  });
  afterAll(async () => {
    await shared?.close();
    await parts?.engine.close();
    await parts?.server.stop();
  });

  return {
    get key() {
      return started().server.key;
    },
    async desk(...lines) {
      const { server } = started();
      const root = await server.create("a scenario");
      const keys = await server.plant(lines, server.key, root);
      if (shared === undefined) {
        shared = await openDevice();
        others.pop();
      }
      const device = shared;
      await device.look(root);
      await device.shows(lines.map((line) => line.replaceAll("**", "")));
      return {
        device,
        root,
        lineOf(name) {
          const line = keys.get(name);
          if (line === undefined) throw new Error(`no line was made as ${name}`);
          return line;
        },
        stored: () => server.sketch(server.key, root),
        add: (name) => server.create(name, root),
        async rename(line, name) {
          await server.call("POST", `nodes/${line}`, { name });
        },
      };
    },
    async beside({ device, root }) {
      const other = await openDevice();
      await other.look(root);
      await other.shows(await device.sketch());
      return other;
    },
  };
}
