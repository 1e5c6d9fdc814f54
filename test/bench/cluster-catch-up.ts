import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { LoadedOutline, OutlineLog } from "../../src/documents/log/outline-log.ts";
import { TIMERS } from "../../src/open-service.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { PATIENT, PostgresServer } from "../support/postgres/postgres-server.ts";
import { startService } from "../support/service.ts";
import { cpuMs } from "./cpu-time.ts";
import { outlineOf, WITHOUT_SNAPSHOTS } from "../support/stored-outline.ts";

/** Until an outline is open whose log has 10,000 updates that no snapshot holds. */
export interface CatchUpFigures {
  readonly ms: Rounds;
  /** Of the process that opens it. */
  readonly cpuMs: Rounds;
}

interface Rounds {
  readonly postgres: readonly number[];
  readonly level: readonly number[];
}

const UPDATES = 10_000;
const ROUNDS = 5;

export async function benchCatchUp(): Promise<CatchUpFigures> {
  const stored = await manyUpdates();
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  const server = await PostgresServer.start();
  const common = { now: Date.now, randomBytes };
  const options = { ...common, address: "127.0.0.1:1", limits: PATIENT };
  const postgres = await PostgresStore.open(server.urlOf("postgres"), options);
  const level = await LevelStore.open(join(folder, "level"), common);
  try {
    const figures = {
      ms: { postgres: [] as number[], level: [] as number[] },
      cpuMs: { postgres: [] as number[], level: [] as number[] },
    };
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [name, { log }] of Object.entries({ postgres, level })) {
        const opened = await openIn(log, stored);
        if (round < 0 || (name !== "postgres" && name !== "level")) continue;
        figures.ms[name].push(opened.ms);
        figures.cpuMs[name].push(opened.cpuMs);
      }
    }
    return figures;
  } finally {
    await postgres.close();
    await level.close();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** As many edits of an outline as its log has them, one after the other. */
async function manyUpdates(): Promise<LoadedOutline> {
  const service = await startService({ documentLimits: WITHOUT_SNAPSHOTS });
  try {
    const id = await outlineOf(service);
    for (let head = 0; head < UPDATES; { head } = await service.store.log.extent(id)) {
      for (let edit = 0; edit < 100; edit += 1) {
        await service.documents.write(id, (outline) => {
          outline.create({ parent: ROOT, name: `line ${edit}` });
        });
      }
    }
    return await service.store.log.load(id);
  } finally {
    await service.close();
  }
}

/** Opens a fresh copy of it, as a process that has never seen it. */
async function openIn(
  log: OutlineLog,
  { updates, bindings }: LoadedOutline,
): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const id = newOutlineId(Math.random);
  await log.append(id, {
    updates: updates.map(({ update }) => update),
    bindings: [...bindings].map(([client, holder]) => ({ client, holder })),
  });
  const documents = new Documents({
    log,
    now: Date.now,
    random: Math.random,
    timers: TIMERS,
    limits: WITHOUT_SNAPSHOTS,
  });
  const cpuAt = cpuMs();
  const startedAt = performance.now();
  const { release } = await documents.open(id);
  const figures = { ms: performance.now() - startedAt, cpuMs: cpuMs() - cpuAt };
  release();
  await documents.close();
  return figures;
}
