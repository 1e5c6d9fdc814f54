/** A clock that stands still until a test moves it. Every test starts at the same moment. */
export class TestClock {
  /** A Friday, in the middle of a second: Unix seconds must come out rounded down. */
  static readonly START = "2026-11-20T12:00:00.700Z";

  private moment = Date.parse(TestClock.START);

  /** Milliseconds since 1970, as the service asks for them. */
  readonly now = (): number => this.moment;

  /** The present in the API's unit. */
  get seconds(): number {
    return Math.floor(this.moment / 1000);
  }

  reset(): void {
    this.moment = Date.parse(TestClock.START);
  }

  /** @param moment ISO 8601 with a zone */
  set(moment: string): void {
    this.moment = Date.parse(moment);
  }

  /** @returns the new present, in Unix seconds */
  advance(seconds: number): number {
    this.moment += seconds * 1000;
    return this.seconds;
  }
}
