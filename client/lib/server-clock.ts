import type { DeviceRecords } from "./device-records.ts";
import type { Platform } from "./platform.ts";

/** How far the server's clock was ahead of the device's, in milliseconds, for a start without it. */
const RECORD = "clock-offset";
/** What lies closer together is taken for the same: people don't see it, and lines are no clocks. */
const SAME_MS = 2_000;

/**
 * The time that edits are dated with: the device's clock, corrected by what the server says. The
 * device's own may be wrong by years, and what is done last must win.
 */
export class ServerClock {
  readonly #platform: Pick<Platform, "now" | "elapsed">;
  readonly #records: DeviceRecords;
  #offsetMs = 0;
  /** What the device's clock said when its uncorrectable one said 0, when it was last measured. */
  #beganAt: number | undefined;
  #askedAt: number | undefined;

  constructor(platform: Pick<Platform, "now" | "elapsed">, records: DeviceRecords) {
    this.#platform = platform;
    this.#records = records;
  }

  /** Unix milliseconds. */
  readonly now = (): number => this.#platform.now() + this.#offsetMs;

  /** How far the server's clock is ahead, as far as it matters. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Whether the device's clock was set since it was measured, and nobody asks yet. */
  get hasJumped(): boolean {
    const began = this.#beganAt;
    if (began === undefined || this.#askedAt !== undefined) return false;
    return Math.abs(this.#began() - began) > SAME_MS;
  }

  /** Takes over what an earlier run of the program has measured. */
  async read(): Promise<void> {
    const stored = await this.#records.read(RECORD);
    if (typeof stored === "number" && Number.isFinite(stored)) this.#offsetMs = stored;
  }

  /** The server is asked for its time now. */
  asked(): void {
    this.#askedAt = this.#platform.elapsed();
  }

  /**
   * The server's answer has come: it was true at some moment since it was asked for. Answers whether
   * the correction is another one now.
   */
  answered(serverNowMs: number): boolean {
    if (this.#askedAt === undefined) return false;
    const waitedMs = this.#platform.elapsed() - this.#askedAt;
    this.#askedAt = undefined;
    this.#beganAt = this.#began();
    const aheadMs = Math.round(serverNowMs + waitedMs / 2 - this.#platform.now());
    const doubtMs = SAME_MS + waitedMs / 2;
    // One that fits what is known stays: else each connection would bring another.
    if (Math.abs(aheadMs - this.#offsetMs) <= doubtMs) return false;
    this.set(Math.abs(aheadMs) <= doubtMs ? 0 : aheadMs);
    this.#records.write(RECORD, this.#offsetMs);
    return true;
  }

  /** Another tab has measured. */
  set(offsetMs: number): void {
    this.#offsetMs = offsetMs;
  }

  #began(): number {
    return this.#platform.now() - this.#platform.elapsed();
  }
}
