import { isDeepStrictEqual } from "node:util";
import { nodeIdOf, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import type { ServiceAnswer, TestService } from "../../support/service.ts";
import type { Ledger } from "./ledger.ts";
import type { Member } from "./member.ts";

/** A program that writes or reads over REST, one request after the other. */
export class RestMember implements Member {
  readonly name: string;
  readonly isPromised: boolean;
  readonly #service: TestService;
  readonly #outline: OutlineId;
  readonly #ledger: () => Ledger;
  readonly #reads: boolean;
  #count = 0;
  #request: Promise<void> | undefined;

  constructor(
    name: string,
    options: {
      readonly service: TestService;
      readonly outline: OutlineId;
      readonly ledger: () => Ledger;
      readonly reads: boolean;
    },
  ) {
    this.name = name;
    this.#service = options.service;
    this.#outline = options.outline;
    this.#ledger = options.ledger;
    this.#reads = options.reads;
    this.isPromised = !options.reads;
  }

  get isSettled(): boolean {
    return this.#request === undefined;
  }

  step(parent: NodeKey): void {
    if (this.#request !== undefined) return;
    const parentId = nodeIdOf(this.#outline, parent);
    const work = this.#reads ? this.#read(parentId) : this.#write(parentId);
    const ledger = this.#ledger();
    this.#request = work
      .catch((error: unknown) => {
        // A long list is sent as it is made: it is broken off, and nobody takes it for whole.
        if (this.#reads && isBrokenOff(error)) ledger.tell(this.name);
        else ledger.offences.push(`${this.name}: ${String(error)}`);
      })
      .finally(() => {
        this.#request = undefined;
      });
  }

  look(): void {}

  knows(): boolean {
    return true;
  }

  names(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    await this.#request;
  }

  async #write(parentId: string): Promise<void> {
    const ledger = this.#ledger();
    const name = `${this.name}n${this.#count++}`;
    ledger.ask(name);
    const body = { name, parent_id: parentId };
    const answer = await this.#service.request("POST", "/api/v1/nodes", body);
    if (answer.status === 200) ledger.promise(name);
    else this.#refused(answer);
  }

  async #read(parentId: string): Promise<void> {
    const answer = await this.#service.request("GET", `/api/v1/nodes?parent_id=${parentId}`);
    if (answer.status !== 200) return this.#refused(answer);
    const { nodes } = answer.body as { readonly nodes: readonly { readonly name: string }[] };
    const ledger = this.#ledger();
    for (const { name } of nodes) ledger.show(name);
  }

  #refused({ status, headers, body }: ServiceAnswer): void {
    const ledger = this.#ledger();
    const { message } = body as { readonly message?: unknown };
    const isAsAgreed =
      status === 503 &&
      Number(headers.get("retry-after")) >= 1 &&
      typeof message === "string" &&
      isDeepStrictEqual(body, { error: message, code: "unavailable", message });
    if (!isAsAgreed) ledger.offences.push(`${this.name}: ${status} ${JSON.stringify(body)}`);
    ledger.tell(this.name);
  }
}

function isBrokenOff(error: unknown): boolean {
  return error instanceof TypeError && error.message === "terminated";
}
