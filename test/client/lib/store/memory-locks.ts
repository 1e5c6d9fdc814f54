type Callback = (lock: Lock | null) => unknown;

interface Request {
  readonly tab: number;
  readonly callback: (lock: Lock) => Promise<void>;
}

/** Web Locks without a browser: exclusive ones, by name, for several tabs. */
export class MemoryLocks {
  readonly #queues = new Map<string, Request[]>();
  #tabs = 0;

  /** Locks as one tab sees them, and what happens when that tab crashes. */
  tab(): { readonly locks: Pick<LockManager, "request">; readonly crash: () => void } {
    const tab = ++this.#tabs;
    const request = (name: string, options: LockOptions, callback: Callback): Promise<unknown> =>
      this.#request(tab, name, options, callback);
    return {
      // Only the form of three arguments is asked for.
      locks: { request: request as LockManager["request"] },
      crash: () => {
        for (const name of this.#queues.keys()) this.#remove(name, (one) => one.tab === tab);
      },
    };
  }

  #request(tab: number, name: string, options: LockOptions, callback: Callback): Promise<unknown> {
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    if (options.ifAvailable === true && queue.length > 0) return Promise.resolve(callback(null));
    return new Promise((resolve, reject) => {
      const request: Request = {
        tab,
        callback: async (lock) => {
          try {
            resolve(await callback(lock));
          } finally {
            this.#remove(name, (one) => one === request);
          }
        },
      };
      options.signal?.addEventListener("abort", () => {
        if (queue[0] === request) return;
        this.#remove(name, (one) => one === request);
        reject(new DOMException("aborted", "AbortError"));
      });
      queue.push(request);
      if (queue.length === 1) this.#grant(name);
    });
  }

  #remove(name: string, isGone: (request: Request) => boolean): void {
    const queue = this.#queues.get(name) ?? [];
    const [first] = queue;
    const left = queue.filter((request) => !isGone(request));
    queue.splice(0, queue.length, ...left);
    if (left.length > 0 && left[0] !== first) this.#grant(name);
  }

  #grant(name: string): void {
    const first = this.#queues.get(name)?.[0];
    void Promise.resolve().then(() => first?.callback({ name, mode: "exclusive" }));
  }
}
