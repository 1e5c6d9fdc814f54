/**
 * A server process of the create benchmark: the service on LevelDB, or the floor that it is held
 * against: bare fastify that appends each body to LevelDB with nothing but a group commit.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fastify } from "fastify";
import { Level } from "level";
import { startService } from "../support/service.ts";
import { serveBench } from "./server-process.ts";

export type CreateRole = { readonly kind: "service" | "floor" };

export interface CreateServer {
  readonly url: string;
  readonly key: string;
}

async function serveService(): Promise<CreateServer> {
  const { url, key } = await startService({ store: "level" });
  return { url: `${url}/api/v1/nodes`, key };
}

/** One synced batch at a time; what arrives meanwhile goes into the next. */
class GroupCommit {
  readonly #db: Level;
  #waiting: { readonly value: string; readonly done: () => void }[] = [];
  #isRunning = false;
  #next = 0;

  constructor(db: Level) {
    this.#db = db;
  }

  append(value: string): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ value, done });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#db.batch(
        batch.map(({ value }) => ({
          type: "put",
          key: String(this.#next++).padStart(12, "0"),
          value,
        })),
        { sync: true },
      );
      for (const { done } of batch) done();
    }
    this.#isRunning = false;
  }
}

async function serveFloor(): Promise<CreateServer> {
  const folder = await mkdtemp(join(tmpdir(), "outline-floor-"));
  process.on("exit", () => void rm(folder, { recursive: true }));
  const db = new Level(folder);
  await db.open();
  const log = new GroupCommit(db);
  const app = fastify();
  app.post("/nodes", async (request) => {
    await log.append(JSON.stringify(request.body));
    return { item_id: "00000000-0000-8000-8000-000000000000" };
  });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url: `${address}/nodes`, key: "none" };
}

serveBench<CreateRole, CreateServer>(({ kind }) =>
  kind === "service" ? serveService() : serveFloor(),
);
