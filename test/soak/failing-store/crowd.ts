import type { NodeKey, OutlineId } from "../../../src/core/node-key.ts";
import type { TestService } from "../../support/service.ts";
import { ExtendedMember } from "./extended-member.ts";
import type { Ledger } from "./ledger.ts";
import { LibraryMember } from "./library-member.ts";
import type { Member } from "./member.ts";
import { RestMember } from "./rest-member.ts";
import { StockMember } from "./stock-member.ts";

const STEP_MS = 100;

/** Clients of every kind at one outline. */
export class Crowd {
  readonly members: readonly Member[];
  readonly #timer: NodeJS.Timeout;
  /** Below which they work; undefined while they only look. */
  #parent: NodeKey | undefined;

  private constructor(members: readonly Member[]) {
    this.members = members;
    this.#timer = setInterval(() => this.#tick(), STEP_MS);
  }

  /** @param ledger the one that counts now */
  static async gather(
    service: TestService,
    outline: OutlineId,
    ledger: () => Ledger,
  ): Promise<Crowd> {
    const { url, key } = service;
    const common = { url, key, service, outline, ledger };
    const served = (): Uint8Array | undefined => service.documents.peek(outline)?.stateVector();
    return new Crowd([
      new RestMember("rest1", { ...common, reads: false }),
      new RestMember("rest2", { ...common, reads: false }),
      new RestMember("reader", { ...common, reads: true }),
      new ExtendedMember("extended", { ...common, writes: true }),
      new ExtendedMember("watcher", { ...common, writes: false }),
      new StockMember("stock", { ...common, served }),
      await LibraryMember.open("library", common),
    ]);
  }

  work(parent: NodeKey): void {
    this.#parent = parent;
  }

  rest(): void {
    this.#parent = undefined;
  }

  /** Notes what those who keep a replica show of others' work. */
  show(parent: NodeKey, ledger: Ledger): void {
    for (const member of this.members) {
      for (const name of member.names(parent) ?? []) {
        if (!name.startsWith(`${member.name}n`)) ledger.show(name);
      }
    }
  }

  async disperse(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.members.map((member) => member.close()));
  }

  #tick(): void {
    for (const member of this.members) {
      if (this.#parent === undefined) member.look();
      else member.step(this.#parent);
    }
  }
}
