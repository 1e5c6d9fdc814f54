import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { HERE, type Owner, type Place, UNKNOWN } from "../../accounts/passing.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Membership } from "./membership.ts";
import { claimMissing, livingOf, ownerOf, type Query, release } from "./owners.ts";

interface PlacesOptions {
  readonly membership: Membership;
  readonly query: Query;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
}

interface Known {
  readonly owner: Owner;
  readonly foundAt: number;
}

const MOST_KNOWN = 100_000;
/** How long an owner is believed to be the one. It passes on what it does not own any more. */
const KNOWN_MS = 1000;
/** How long a request waits for an owner to end that is about to, and how often it looks. */
const LEAVING_MS = 5000;
const LOOK_MS = 50;

/** Which process serves an outline: whoever asks for one that nobody has takes it. */
export class Places {
  readonly #options: PlacesOptions;
  /** Those that this process owns, and has not lost as far as it knows. [Q67] */
  readonly #here = new LRUCache<OutlineId, true>({ max: MOST_KNOWN });
  /** [Q67] */
  readonly #elsewhere = new LRUCache<OutlineId, Known>({ max: MOST_KNOWN });
  /** One for each outline that requests wait for. [Q67] */
  readonly #asking = new Map<OutlineId, Promise<Place>>();
  /** Those that are being given back. [Q67] */
  readonly #releasing = new Map<OutlineId, Promise<void>>();

  constructor(options: PlacesOptions) {
    this.#options = options;
    options.membership.onLapse(() => this.#here.clear());
  }

  /** How many outlines this process has been asked for and has. */
  get owned(): number {
    return this.#here.size;
  }

  get secret(): string {
    return this.#options.membership.require().secret;
  }

  /** Whose outline it is. At once, where that is known. */
  of(outline: OutlineId): Place | Promise<Place> {
    const { membership, elapsed } = this.#options;
    if (!membership.holds()) return UNKNOWN;
    if (this.#here.has(outline)) return HERE;
    const known = this.#elsewhere.get(outline);
    if (known !== undefined && elapsed() - known.foundAt < KNOWN_MS) {
      return { kind: "elsewhere", owner: known.owner };
    }
    const asked = this.#asking.get(outline);
    if (asked !== undefined) return asked;
    const asking = this.#ask(outline).finally(() => this.#asking.delete(outline));
    this.#asking.set(outline, asking);
    return asking;
  }

  /** It is not where it was taken to be. */
  forget(outline: OutlineId): void {
    this.#here.delete(outline);
    this.#elsewhere.delete(outline);
  }

  /**
   * Gives an outline back. Until it is done nothing of it is loaded here: what was loaded while it
   * belongs to nobody would be served when another one has it.
   * @param letGo sees to it that nothing of it is in memory
   * @throws StoreError, and what `letGo` throws
   */
  release(outline: OutlineId, letGo: () => Promise<void>): Promise<void> {
    const before = this.#releasing.get(outline);
    if (before !== undefined) return before;
    this.forget(outline);
    const releasing = this.#release(outline, letGo).finally(() => this.#releasing.delete(outline));
    this.#releasing.set(outline, releasing);
    return releasing;
  }

  /** Whether a replica of it may be loaded here. */
  mayClaim(outline: OutlineId): boolean {
    return !this.#releasing.has(outline);
  }

  /** Says that it is about to end: who wants something of it waits for that. @throws StoreError */
  async leave(): Promise<void> {
    const { membership, query } = this.#options;
    await query(LEAVE, [membership.require().id]);
  }

  async #release(outline: OutlineId, letGo: () => Promise<void>): Promise<void> {
    const { membership, query } = this.#options;
    const member = membership.require();
    await letGo();
    await release(query, member, outline);
  }

  /** Which of some processes may still serve what they own. @throws StoreError */
  livingOf(processes: readonly number[]): Promise<ReadonlySet<number>> {
    return livingOf(this.#options.query, processes);
  }

  async #ask(outline: OutlineId): Promise<Place> {
    const { membership, query, elapsed } = this.#options;
    for (const giveUpAt = elapsed() + LEAVING_MS; elapsed() < giveUpAt; await delay(LOOK_MS)) {
      await this.#releasing.get(outline)?.catch(() => undefined);
      const member = membership.require();
      await claimMissing(query, member, [outline]);
      const owner = await ownerOf(query, outline);
      if (!membership.holds() || membership.require() !== member) return UNKNOWN;
      if (!this.mayClaim(outline)) continue;
      if (owner?.process === member.id) {
        this.#here.set(outline, true);
        return HERE;
      }
      if (owner === undefined || owner.leaving || !owner.lives) continue;
      // One that has the database alone has lost it, and its time has not passed yet.
      if (owner.address === "") return UNKNOWN;
      this.#elsewhere.set(outline, { owner, foundAt: elapsed() });
      return { kind: "elsewhere", owner };
    }
    return UNKNOWN;
  }
}

const LEAVE = { text: "update outline_store.process set leaving = true where id = $1" };
