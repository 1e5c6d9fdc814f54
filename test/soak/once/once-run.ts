import type { Random } from "../../../src/core/node-key.ts";
import { call } from "../../e2e/program-folder.ts";
import type { ServerProcess } from "../../e2e/server-process.ts";
import { oneOf } from "../../support/seeded-random.ts";
import { KEY, ONCE_WAYS, type OnceRequest, send } from "./once-request.ts";

/** Requests in work at one time. */
const LANES = 4;

/** Programs that write to one server after the other, all on one folder. */
export class OnceRun {
  readonly requests: OnceRequest[] = [];
  /** How many were answered, sent again, and found done when they were to be sent again. */
  readonly counts = { answered: 0, again: 0, doneBefore: 0 };
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Resolves when the server is gone. */
  async work(server: ServerProcess): Promise<void> {
    await Promise.all(Array.from({ length: LANES }, () => this.#workOn(server)));
  }

  /** Sends what was not answered again, and looks at what there is then. @returns what is wrong */
  async sendAgain(server: ServerProcess): Promise<readonly string[]> {
    const wrong: string[] = [];
    const before = await nodesOf(server);
    for (const request of this.requests.filter(({ answer }) => answer === undefined)) {
      const { way, name } = request;
      const isDone = before.has(name);
      this.counts.again += 1;
      if (isDone) this.counts.doneBefore += 1;
      const answer = await send(server, request);
      if (answer === undefined) return [...wrong, "a server has ended that nobody has killed"];
      request.answer = answer;
      if (answer.isReplayed === !isDone) {
        wrong.push(
          `${way} that was ${isDone ? "" : "not "}done was answered as if it were otherwise`,
        );
      }
    }
    const nodes = await nodesOf(server);
    for (const { way, name, answer } of this.requests) {
      const ids = nodes.get(name) ?? [];
      if (ids.length !== 1) wrong.push(`${way} was done ${ids.length} times`);
      else if (ids[0] !== answer?.shortId) wrong.push(`${way} was answered with another node`);
      nodes.delete(name);
    }
    for (const name of nodes.keys()) wrong.push(`there is a node ${name}`);
    return wrong;
  }

  async #workOn(server: ServerProcess): Promise<void> {
    for (;;) {
      const { requests } = this;
      const way = oneOf(this.#random, ONCE_WAYS);
      const request: OnceRequest = { way, name: `node-${requests.length}`, answer: undefined };
      requests.push(request);
      request.answer = await send(server, request);
      if (request.answer === undefined) return;
      this.counts.answered += 1;
    }
  }
}

/** The short ids of all nodes, by name. */
async function nodesOf(server: ServerProcess): Promise<Map<string, string[]>> {
  const { body } = await call(server, KEY, "GET", "nodes-export");
  const { nodes } = body as { readonly nodes: readonly { id: string; name: string }[] };
  const byName = new Map<string, string[]>();
  for (const { id, name } of nodes) {
    byName.set(name, [...(byName.get(name) ?? []), id.slice(-12)]);
  }
  return byName;
}
