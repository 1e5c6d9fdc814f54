import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { call } from "../e2e/program-folder.ts";
import { type ServerProcess, startServerProcess } from "../e2e/server-process.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { answering, type ReceivedMessage, WebhookReceiver } from "../support/webhook-receiver.ts";
import { type Mutant, mutantOf } from "./abuse/mutant.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

const KEY = "ok_webhooks_are_told_with_this";
/** Messages that arrive before a kill, at most: then one is on its way. */
const MOST_ARRIVED = 2;
/** Against what hangs. */
const PATIENCE_MS = 120_000;

const CONTROLS: Readonly<Record<string, Mutant>> = {
  "moves-on-early": {
    wrong: "where a webhook stands is stored before a message has arrived",
    edits: [
      {
        file: "http/webhooks/webhook-runner.js",
        from: "const signal = AbortSignal.any(",
        to: "await this.#moveOn(stored, after); const signal = AbortSignal.any(",
      },
    ],
  },
};

/** Makes one node after the other until the server is gone, and notes those that were answered. */
async function write({ url }: ServerProcess, answered: string[]): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` };
  const body = JSON.stringify({ name: "node" });
  for (;;) {
    try {
      const response = await fetch(`${url}/api/v1/nodes`, { method: "POST", headers, body });
      answered.push(((await response.json()) as { readonly item_id: string }).item_id);
    } catch {
      return;
    }
  }
}

/** What has arrived, and what should have. */
class Telling {
  readonly answered: string[] = [];
  readonly told = new Set<string>();
  readonly #receiver: WebhookReceiver;
  messages = 0;

  constructor(receiver: WebhookReceiver) {
    this.#receiver = receiver;
  }

  /** One message arrives. @throws Error when none comes */
  async take(): Promise<void> {
    this.#receiver.answer = (response, message) => {
      this.#take(message);
      answering(200)(response, message);
    };
    await this.#next();
  }

  /** One message is on its way, and nobody has it. */
  async miss(): Promise<void> {
    this.#receiver.answer = () => undefined;
    await this.#next();
  }

  get isComplete(): boolean {
    return this.answered.every((id) => this.told.has(id));
  }

  /** Why it is not as it should be; to be asked when nothing is being written. */
  wrong(): string | undefined {
    const known = new Set(this.answered);
    const inOrder = [...this.told].filter((id) => known.has(id));
    const from = inOrder.findIndex((id, index) => id !== this.answered[index]);
    if (from === -1) return undefined;
    return `change ${from} of ${this.answered.length} was not told, or not in its turn`;
  }

  async #next(): Promise<void> {
    const ended = new AbortController();
    const message = this.#receiver.next();
    const patience = delay(PATIENCE_MS, undefined, { signal: ended.signal });
    patience.catch(() => undefined);
    if ((await Promise.race([message, patience])) === undefined) {
      throw new Error("nothing more is told");
    }
    ended.abort();
    this.messages += 1;
  }

  #take({ data }: ReceivedMessage): void {
    for (const id of data.changed ?? []) if (typeof id === "string") this.told.add(id);
  }
}

/** Whoever is told by a webhook, of a server that is killed again and again. */
export const webhookKillsRow: SoakRow = {
  name: "webhook-kills",
  fault: "kill -9 of the server while a program writes and a webhook's message is on its way",
  goal: "each acknowledged change told at least once, in order, without anybody asking",
  unit: "kills",
  full: 200,
  short: 4,
  budgetMs: 60 * 60_000,
  controls: Object.fromEntries(Object.entries(CONTROLS).map(([name, { wrong }]) => [name, wrong])),
  async run({ amount, seed, control, goesOn }) {
    const random = seededRandom(seed);
    const data = await mkdtemp(join(tmpdir(), "outline-webhook-kills-"));
    const receiver = await WebhookReceiver.open();
    const mutant = control === undefined ? undefined : CONTROLS[control];
    const environment = { OUTLINE_API_KEY: KEY, OUTLINE_WEBHOOK_INSECURE: "true" };
    const start = (): Promise<ServerProcess> =>
      startServerProcess({ data, environment, ...(mutant !== undefined && mutantOf(mutant)) });
    const telling = new Telling(receiver);
    const failures: string[] = [];
    let server = await start();
    let done = 0;
    try {
      await call(server, KEY, "POST", "webhooks", { url: receiver.url });
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        const written = write(server, telling.answered);
        for (let left = integerBelow(random, MOST_ARRIVED) + 1; left > 0; left--) {
          await telling.take();
        }
        await telling.miss();
        await server.stop("SIGKILL");
        await written;
        server = await start();
        while (!telling.isComplete && telling.wrong() === undefined) await telling.take();
        const wrong = telling.wrong();
        if (wrong !== undefined) failures.push(`seed ${seed}, kill ${done}: ${wrong}`);
      }
    } catch (error) {
      failures.push(`seed ${seed}, kill ${done}: ${String(error)}`);
    } finally {
      await server.stop("SIGKILL");
      receiver.close();
      await rm(data, { recursive: true, force: true });
    }
    const { messages, answered } = telling;
    if (failures.length === 0 && answered.length <= done) failures.push("too little was written");
    return { done, failures, figures: { messages, changes: answered.length } };
  },
};
