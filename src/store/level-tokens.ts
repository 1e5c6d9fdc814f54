import { jsonOf, putJson } from "./json-record.ts";
import { KeyedSerial } from "./keyed-serial.ts";
import type { StoreCore } from "./store-core.ts";
import { waitForToken } from "./token-window.ts";

/** One token a window, as `OutlineLog.takeToken` wants it. */
export class LevelTokens {
  readonly #core: StoreCore;
  readonly #now: () => number;
  readonly #serial = new KeyedSerial<string>();

  constructor(core: StoreCore, now: () => number) {
    this.#core = core;
    this.#now = now;
  }

  take(text: string, windowMs: number): Promise<number> {
    return this.#serial.run(text, async () => {
      const { history, takenAt } = await this.#core.read(async (view, current) => {
        const key = current.keys.token(text);
        const value = await view.get(key);
        const takenAt = value && jsonOf<number>(key, value);
        return { history: current, takenAt };
      });
      const now = this.#now();
      const waitMs = waitForToken({ takenAt, now, windowMs });
      if (waitMs > 0) return waitMs;
      const key = history.keys.token(text);
      await this.#core.change(history, [putJson(key, now)]);
      return 0;
    });
  }
}
