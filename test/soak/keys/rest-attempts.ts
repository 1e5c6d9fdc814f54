import { randomBytes } from "node:crypto";
import type { Random } from "../../../src/core/node-key.ts";
import { oneOf } from "../../support/seeded-random.ts";
import type { Api, ApiOperation } from "../hostile-requests/api-operations.ts";
import { HttpWire, type WireAnswer } from "../hostile-requests/http-wire.ts";
import { fittingJson } from "../hostile-requests/odd-values.ts";
import type { Victim } from "./key-world.ts";

/** Who tries, and what they must be told. */
export interface Actor {
  readonly name: string;
  readonly key: string;
  /** What no answer to them may hold. */
  readonly secrets: readonly string[];
  /** Whom the things belong to that they try to reach. */
  readonly victim: Victim;
  /** Whether the key is one of the victim's. */
  readonly isOfVictim: boolean;
  /** All that they may be answered: for keys that open nothing, or may not write. */
  readonly must: "be_unauthorized" | "not_write" | "not_find";
}

/** Stands for a reference in a request that is sent twice: once with a victim's, once with nobody's. */
const BLANK = "REFERENCEBLANK";
const SHORT_ID_LENGTH = 12;

function hex(length: number): string {
  return randomBytes(length).toString("hex").slice(0, length);
}

/** The same reference in all forms in which one can be written. */
function formsOf(id: string): readonly string[] {
  const short = id.slice(-SHORT_ID_LENGTH);
  return [
    id,
    id.toUpperCase(),
    id.replaceAll("-", ""),
    short,
    short.toUpperCase(),
    `https://outline.test/#/${short}`,
    `https://outline.test/path#/${id}?q`,
  ];
}

/** Attempts to reach what belongs to others, on every route of the document. */
export class RestAttempts {
  readonly #random: Random;
  readonly #api: Api;
  readonly #wire: HttpWire;
  readonly operations = new Set<string>();

  constructor(random: Random, api: Api, port: number) {
    this.#random = random;
    this.#api = api;
    this.#wire = new HttpWire(port);
  }

  /** One attempt, at any route. @returns what went wrong */
  async try(actor: Actor): Promise<string | undefined> {
    const operation = oneOf(this.#random, this.#api.operations);
    this.operations.add(operation.id);
    return this.tryAt(actor, operation);
  }

  /** The same at one route. */
  async tryAt(actor: Actor, operation: ApiOperation): Promise<string | undefined> {
    const [theirs, nobodys] = this.#references(actor.victim);
    const path = operation.path.replace(/\{\w+\}/, BLANK);
    const { reference, needed } = operation;
    const query = reference === undefined ? "" : `?${reference}=${BLANK}${needed}`;
    const body = operation.body === undefined ? "" : this.#body(operation);
    const ask = (reference: string): Promise<WireAnswer> =>
      this.#ask(actor.key, operation.method, {
        path: `${path}${query}`.replaceAll(BLANK, encodeURIComponent(reference)),
        body: body.replaceAll(BLANK, reference),
      });
    const answer = await ask(theirs);
    const where = `${actor.name} at ${operation.id} with ${theirs}`;
    const seen = actor.secrets.find((secret) => answer.body.includes(secret));
    if (seen !== undefined) return `${where} was told ${seen}`;
    const isRead = operation.method === "GET";
    switch (actor.must) {
      case "be_unauthorized":
        return answer.status === 401 ? undefined : `${where} was answered ${answer.status}`;
      case "not_write":
        if (isRead) return answer.status < 500 ? undefined : `${where}: ${answer.status}`;
        return answer.status === 403 ? undefined : `${where} was answered ${answer.status}`;
      case "not_find": {
        if (answer.status === 200) return this.#ifReached(where, operation, body);
        const other = await ask(nobodys);
        const isSame = answer.status === other.status && answer.body === other.body;
        return isSame ? undefined : `${where} was answered otherwise than with ${nobodys}`;
      }
    }
  }

  close(): void {
    this.#wire.close();
  }

  /** A success where the reference had to be looked up is one too many. */
  #ifReached(where: string, { path, reference }: ApiOperation, body: string): string | undefined {
    const isMeant = path.includes("{") || reference !== undefined || body.includes(BLANK);
    return isMeant ? `${where} was answered 200` : undefined;
  }

  /** Something of the victim's, and the same of nobody's, in the same form. */
  #references(victim: Victim): readonly [string, string] {
    const random = this.#random;
    const roll = random();
    if (roll < 0.1) return [victim.shortcut, `${victim.shortcut}s`];
    if (roll < 0.2) return [oneOf(random, victim.keyIds), `key_${hex(16)}`];
    if (roll < 0.3) return [oneOf(random, victim.sessionIds), `session_${hex(16)}`];
    if (roll < 0.4) return [oneOf(random, victim.webhookIds), `hook_${hex(16)}`];
    const id = oneOf(random, victim.nodeIds);
    const theirs = formsOf(id);
    const form = Math.floor(random() * theirs.length);
    const nobodys = formsOf(`${id.slice(0, -SHORT_ID_LENGTH)}${hex(SHORT_ID_LENGTH)}`);
    return [theirs[form] ?? id, nobodys[form] ?? id];
  }

  #body({ body }: ApiOperation): string {
    return fittingJson(this.#random, body ?? {}, this.#api.schemas, () => BLANK);
  }

  async #ask(
    key: string,
    method: string,
    { path, body }: { readonly path: string; readonly body: string },
  ): Promise<WireAnswer> {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      "host: outline.test",
      `authorization: Bearer ${key}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    const answer = await this.#wire.send([`${lines.join("\r\n")}\r\n\r\n${body}`]);
    if (typeof answer === "string") throw new Error(`${method} ${path} was answered by ${answer}`);
    return answer;
  }
}
