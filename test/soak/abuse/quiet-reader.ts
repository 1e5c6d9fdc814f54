import { Agent } from "node:http";
import type { Place } from "./bystander-tasks.ts";
import { callApi } from "./call-api.ts";
import { SteadyWork } from "./steady-work.ts";
import type { WaitLog } from "./wait-log.ts";

const READ_EVERY_MS = 40;

/**
 * Somebody who reads a small node of an outline that nobody changes: that waits for nothing but the
 * server's thread.
 */
export class QuietReader {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #work: SteadyWork;

  private constructor(work: SteadyWork) {
    this.#work = work;
  }

  static async begin(place: Place, log: WaitLog): Promise<QuietReader> {
    const reader = new QuietReader(new SteadyWork(log));
    const created = await callApi(place, reader.#agent, "POST", "nodes", { name: "read often" });
    const { item_id: id } = JSON.parse(created) as { readonly item_id: string };
    reader.#work.every(READ_EVERY_MS, "read", () =>
      callApi(place, reader.#agent, "GET", `nodes/${id}`),
    );
    return reader;
  }

  async end(): Promise<void> {
    await this.#work.end();
    this.#agent.destroy();
  }
}
