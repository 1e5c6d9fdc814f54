/** What one cycle's clients asked for, and what they were told. Moments are of one steady clock. */
export class Ledger {
  /** Names of nodes by when they were asked for. */
  readonly asked = new Map<string, number>();
  /** By when they were acknowledged. */
  readonly promised = new Map<string, number>();
  /** By when somebody else than their author was first shown them. */
  readonly shown = new Map<string, number>();
  /** Answers and ends of connections that are not what the rules say, in words. */
  readonly offences: string[] = [];
  /** By when a client first learnt that the store fails, by its name. */
  readonly told = new Map<string, number>();
  refusals = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  ask(name: string): void {
    this.asked.set(name, this.#now());
  }

  promise(name: string): void {
    if (!this.promised.has(name)) this.promised.set(name, this.#now());
  }

  show(name: string): void {
    if (!this.shown.has(name)) this.shown.set(name, this.#now());
  }

  tell(client: string): void {
    this.refusals++;
    if (!this.told.has(client)) this.told.set(client, this.#now());
  }

  /** Of what was asked for from `from` on: what was said to be safe, or shown, before `to`. */
  between(said: ReadonlyMap<string, number>, from: number, to: number): readonly string[] {
    return [...said].flatMap(([name, saidAt]) =>
      saidAt < to && (this.asked.get(name) ?? 0) >= from ? [name] : [],
    );
  }
}
