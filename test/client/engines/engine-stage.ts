import { afterAll, afterEach, beforeAll, describe, expect, vi } from "vitest";
import { AppServer } from "../support/app-server.ts";
import type { Engine, EngineName } from "./engine.ts";
import { EngineDevice } from "./engine-device.ts";
import { demandedEngines, findEngine } from "./installed-engines.ts";

/** What a scenario has: a server, people, and devices of one engine. */
export interface EngineStage {
  readonly name: EngineName;
  readonly server: AppServer;
  /** A new person with these lines: their key, and the lines' by name. Levels are two spaces. */
  person(...lines: readonly string[]): Promise<EnginePerson>;
  /** A device that has signed in and shows the outline. */
  device(person: EnginePerson): Promise<EngineDevice>;
}

export interface EnginePerson {
  readonly key: string;
  lineOf(name: string): string;
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
    const stage = useEngineStage(name, found.start);
    for (const scenario of scenarios) scenario(stage);
  });
}

function useEngineStage(name: EngineName, start: () => Promise<Engine>): EngineStage {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
  let engine: Engine | undefined;
  let server: AppServer | undefined;
  let people = 0;
  const devices: EngineDevice[] = [];

  beforeAll(async () => {
    [server, engine] = await Promise.all([AppServer.start(), start()]);
  });
  afterEach(async () => {
    const closed = devices.splice(0);
    await Promise.all(closed.map((device) => device.close()));
    expect(closed.flatMap((device) => device.problems)).toEqual([]);
  });
  afterAll(async () => {
    await engine?.close();
    await server?.stop();
  });

  return {
    name,
    get server() {
      if (server === undefined) throw new Error("no server was started");
      return server;
    },
    async person(...lines) {
      people++;
      const key = await this.server.addUser(`${name}-${people}`);
      const keys = new Map<string, string>();
      const path: string[] = [];
      for (const line of lines) {
        const lineName = line.trimStart();
        const depth = (line.length - lineName.length) / 2;
        const made = await this.server.create(lineName, path[depth - 1], key);
        path.splice(depth, Infinity, made);
        keys.set(lineName, made);
      }
      return {
        key,
        lineOf(each) {
          const line = keys.get(each);
          if (line === undefined) throw new Error(`no line was made as ${each}`);
          return line;
        },
      };
    },
    async device(person) {
      if (engine === undefined) throw new Error("no browser was started");
      const device = await EngineDevice.open(await engine.profile(), this.server);
      devices.push(device);
      await device.signIn(person.key);
      return device;
    },
  };
}
