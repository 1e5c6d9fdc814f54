import { Agent } from "node:http";
import type { Pace, Place } from "./bystander-tasks.ts";
import { callApi } from "./call-api.ts";
import { SteadyWork } from "./steady-work.ts";
import { Typist } from "./typist.ts";
import type { WaitLog } from "./wait-log.ts";

/** Milliseconds between two of each; without a figure there are none. */
interface Rates {
  readonly read: number;
  readonly write: number;
  readonly type: number;
  readonly list?: number;
  readonly move?: number;
  readonly reconnect?: number;
}

const RATES: Readonly<Record<Pace, Rates>> = {
  steady: { read: 50, write: 100, type: 50 },
  human: { read: 7_000, write: 15_000, type: 700, list: 20_000, move: 30_000, reconnect: 60_000 },
};

const BEGUN_WITH = 5;

interface Written {
  readonly id: string;
  readonly name: string;
}

/**
 * Somebody who reads, writes and types at a steady rate, whatever the server does.
 */
export class Bystander {
  readonly #place: Place;
  readonly #log: WaitLog;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #typist: Typist;
  readonly #parent: string;
  readonly #work: SteadyWork;
  /** Nodes that the server said it has. */
  readonly #written: Written[] = [];
  #count = 0;

  private constructor(place: Place, typist: Typist, log: WaitLog, parent: string) {
    this.#place = place;
    this.#typist = typist;
    this.#log = log;
    this.#parent = parent;
    this.#work = new SteadyWork(log);
  }

  static async begin(place: Place, pace: Pace, log: WaitLog): Promise<Bystander> {
    const typist = await Typist.open(place, log);
    const created = await callApi(place, new Agent(), "POST", "nodes", {
      name: "a list of my own",
    });
    const { item_id: parent } = JSON.parse(created) as { readonly item_id: string };
    const bystander = new Bystander(place, typist, log, parent);
    for (let count = 0; count < BEGUN_WITH; count++) await bystander.#write();
    bystander.#begin(RATES[pace]);
    return bystander;
  }

  /** Nothing new is begun; resolves when what was has ended. */
  rest(): Promise<void> {
    return this.#work.end();
  }

  /** To be called after `rest`. What is lost is told to the log. */
  async end(): Promise<void> {
    try {
      const { nodes } = JSON.parse(await this.#list()) as {
        readonly nodes: readonly { readonly name: string }[];
      };
      const names = new Set(nodes.map(({ name }) => name));
      const lost = this.#written.filter(({ name }) => !names.has(name));
      if (lost.length > 0) this.#log.failed(`${lost.length} acknowledged nodes are lost`);
      await this.#typist.compare();
    } catch (error) {
      this.#log.failed(`at the end: ${String(error)}`);
    }
    this.#typist.close();
    this.#agent.destroy();
  }

  #begin(rates: Rates): void {
    const work = this.#work;
    work.every(rates.read, "write", () => this.#call("GET", `nodes/${this.#parent}`));
    work.every(rates.write, "write", () => this.#write());
    work.every(rates.type, "write", () => this.#typist.type());
    work.every(rates.list, "write", () => this.#list());
    work.every(rates.move, "write", () => this.#move());
    work.every(rates.reconnect, "write", () => this.#typist.reconnect());
  }

  async #write(): Promise<void> {
    const name = `thing ${this.#count++} to do`;
    const created = await this.#call("POST", "nodes", { name, parent_id: this.#parent });
    const { item_id: id } = JSON.parse(created) as { readonly item_id: string };
    this.#written.push({ id, name });
  }

  async #move(): Promise<void> {
    const { id } = this.#written[Math.floor(Math.random() * this.#written.length)] ?? {};
    if (id === undefined) return;
    const body = { parent_id: this.#parent, position: Math.random() < 0.5 ? "top" : "bottom" };
    await this.#call("POST", `nodes/${id}/move`, body);
  }

  #list(): Promise<string> {
    return this.#call("GET", `nodes?parent_id=${encodeURIComponent(this.#parent)}`);
  }

  #call(method: string, path: string, body?: unknown): Promise<string> {
    return callApi(this.#place, this.#agent, method, path, body);
  }
}
