import type { Random } from "../../../src/core/node-key.ts";
import { call } from "../../e2e/program-folder.ts";
import type { Ledger } from "./ledger.ts";
import { keyOfId } from "./outline-tree.ts";
import { afterStep, randomStep, type TreeStep, withNewKey } from "./tree-step.ts";
import type { WriterOptions } from "./writer-options.ts";

/**
 * Edits its part of an outline over the API, one request after the other, until the connection
 * breaks. An edit that is answered goes into the ledger as acknowledged.
 */
export class RestWriter {
  readonly ledger: Ledger;
  readonly #key: string;
  readonly #random: Random;
  readonly #name: string;
  #steps = 0;

  constructor(options: WriterOptions) {
    this.ledger = options.ledger;
    this.#key = options.key;
    this.#random = options.random;
    this.#name = options.name;
  }

  /** @returns what was answered with anything but 200, in words */
  async writeUntil(url: string, isOver: () => boolean): Promise<string | undefined> {
    while (!isOver()) {
      const { latest } = this.ledger;
      const step = randomStep(latest, this.#random, `${this.#name} ${++this.#steps}`);
      const after = afterStep(latest, step);
      const number = this.ledger.issue(after);
      const answer = await send(url, this.#key, step);
      if (answer === undefined) return undefined;
      if (answer.status !== 200) return `${JSON.stringify(step)}: ${JSON.stringify(answer)}`;
      const isNew = step.kind === "create";
      this.ledger.acknowledge(number, isNew ? withNewKey(after, newKeyIn(answer.body)) : after);
    }
    return undefined;
  }
}

/** Undefined when the connection broke: then nobody knows what came of it. */
async function send(
  url: string,
  key: string,
  step: TreeStep,
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  const { method, path, body } = requestOf(step);
  return call({ url }, key, method, path, body).catch(() => undefined);
}

function requestOf(step: TreeStep): {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
} {
  if (step.kind === "create") {
    const { parent, position, name } = step;
    return { method: "POST", path: "nodes", body: { parent_id: parent, position, name } };
  }
  const path = `nodes/${step.key}`;
  switch (step.kind) {
    case "rename":
      return { method: "POST", path, body: { name: step.name } };
    case "note":
      return { method: "POST", path, body: { note: step.note } };
    case "complete":
      return { method: "POST", path: `${path}/${step.completed ? "complete" : "uncomplete"}` };
    case "move": {
      const { parent, position } = step;
      return { method: "POST", path: `${path}/move`, body: { parent_id: parent, position } };
    }
    case "delete":
      return { method: "DELETE", path };
  }
}

function newKeyIn(body: unknown): string {
  return keyOfId((body as { readonly item_id: string }).item_id);
}
