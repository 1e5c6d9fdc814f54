import { FairQueue } from "../../documents/fair-queue.ts";

/** Deliveries at one time, in all and of a user. */
const MOST_IN_ALL = 50;
const MOST_OF_USER = 5;

/** Lets so many deliveries be under way: the others wait, the users in turn. */
export class DeliveryGate {
  /** One for each webhook that has something to deliver. [Q110] */
  readonly #waiting = new FairQueue<string, () => void>();
  /** Of those users who have any. [Q111] */
  readonly #underWay = new Map<string, number>();
  #inAll = 0;

  /** Resolves when there is a place, to what gives it back. */
  async enter(user: string): Promise<() => void> {
    const place = this.tryEnter(user);
    if (place !== undefined) return place;
    await new Promise<void>((resolve) => this.#waiting.add(user, resolve));
    return () => this.#leave(user);
  }

  /** What gives the place back, when there is one at once. */
  tryEnter(user: string): (() => void) | undefined {
    if (this.#inAll >= MOST_IN_ALL || !this.#mayHaveMore(user)) return undefined;
    this.#take(user);
    return () => this.#leave(user);
  }

  #mayHaveMore(user: string): boolean {
    return (this.#underWay.get(user) ?? 0) < MOST_OF_USER;
  }

  #take(user: string): void {
    this.#inAll += 1;
    this.#underWay.set(user, (this.#underWay.get(user) ?? 0) + 1);
  }

  #leave(user: string): void {
    this.#inAll -= 1;
    const left = (this.#underWay.get(user) ?? 0) - 1;
    if (left === 0) this.#underWay.delete(user);
    else this.#underWay.set(user, left);
    let next: string | undefined;
    const isNext = (of: string): boolean => {
      const may = this.#mayHaveMore(of);
      if (may) next = of;
      return may;
    };
    const begin = this.#waiting.take(isNext);
    if (begin === undefined || next === undefined) return;
    this.#take(next);
    begin();
  }
}
