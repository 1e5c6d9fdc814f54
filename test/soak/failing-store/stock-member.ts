import { isDeepStrictEqual } from "node:util";
import * as Y from "yjs";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { CLOSE_CODE } from "../../../src/protocol/close-code.ts";
import { connectStockClient, type StockClient } from "../../e2e/stock-client.ts";
import type { Ledger } from "./ledger.ts";
import { type Member, namesBelow } from "./member.ts";

/** A client of y-websocket, which gets no acknowledgements. */
export class StockMember implements Member {
  readonly name: string;
  readonly isPromised = false;
  readonly #client: StockClient;
  readonly #ledger: () => Ledger;
  /** The document as the server has it. */
  readonly #served: () => Uint8Array | undefined;
  #count = 0;
  #closes = 0;

  constructor(
    name: string,
    options: {
      readonly url: string;
      readonly key: string;
      readonly ledger: () => Ledger;
      readonly served: () => Uint8Array | undefined;
    },
  ) {
    this.name = name;
    this.#ledger = options.ledger;
    this.#served = options.served;
    this.#client = connectStockClient(options.url, options.key);
  }

  get isSettled(): boolean {
    const served = this.#served();
    if (served === undefined || !this.#client.provider.synced) return false;
    const own = Y.decodeStateVector(Y.encodeStateVector(this.#client.doc));
    return isDeepStrictEqual(own, Y.decodeStateVector(served));
  }

  step(parent: NodeKey): void {
    this.look();
    const name = `${this.name}n${this.#count++}`;
    this.#ledger().ask(name);
    this.#client.outline.create({ parent, name });
  }

  look(): void {
    const ledger = this.#ledger();
    const { closeCodes } = this.#client;
    for (const code of closeCodes.slice(this.#closes)) {
      if (code === CLOSE_CODE.tryAgainLater) ledger.tell(this.name);
      if (code >= 4400) ledger.offences.push(`${this.name}: closed with ${code}`);
    }
    this.#closes = closeCodes.length;
  }

  knows(key: NodeKey): boolean {
    return this.#client.outline.has(key);
  }

  names(parent: NodeKey): ReadonlySet<string> {
    return namesBelow(this.#client.outline, parent);
  }

  close(): Promise<void> {
    // The provider leaves the timer of its presences behind.
    this.#client.provider.awareness.destroy();
    this.#client.leave();
    return Promise.resolve();
  }
}
