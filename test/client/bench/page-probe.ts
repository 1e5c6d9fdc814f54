import type { Browser, CDPSession, Page } from "playwright-core";

/** What the probe in the page has seen. */
interface Seen {
  /** Milliseconds from the navigation until rows were painted. */
  firstRowsMs: number | undefined;
  readonly longTasksMs: number[];
  /** From each key until what it did was painted. */
  readonly paintsMs: number[];
  mostRows: number;
}

declare global {
  // The probe's, in the page.
  var __seen: Seen | undefined;
}

/** Runs in the page before its own scripts. */
export function installProbe(): void {
  const seen: Seen = { firstRowsMs: undefined, longTasksMs: [], paintsMs: [], mostRows: 0 };
  globalThis.__seen = seen;
  const afterPaint = (work: () => void): void => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.addEventListener("message", () => {
        channel.port1.close();
        work();
      });
      channel.port1.start();
      channel.port2.postMessage(undefined);
    });
  };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longTasksMs.push(duration);
  }).observe({ type: "longtask", buffered: true });
  new MutationObserver(() => {
    const rows = document.querySelectorAll("[role=treeitem]").length;
    seen.mostRows = Math.max(seen.mostRows, rows);
    if (seen.firstRowsMs !== undefined) return;
    if (rows === 0 && document.querySelector("[data-part=kept-view] .row") === null) return;
    seen.firstRowsMs = Number.NaN;
    afterPaint(() => (seen.firstRowsMs = performance.now()));
  }).observe(document, { childList: true, subtree: true });
  addEventListener(
    "keydown",
    ({ timeStamp }) => afterPaint(() => seen.paintsMs.push(performance.now() - timeStamp)),
    true,
  );
}

/** Reads what a page costs: CPU of its main thread by thread ticks, long tasks, heap, paints. */
export class PageProbe {
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #devtools: CDPSession;

  private constructor(browser: Browser, page: Page, devtools: CDPSession) {
    this.#browser = browser;
    this.#page = page;
    this.#devtools = devtools;
  }

  /** Of a page in which {@link installProbe} runs. */
  static async attach(browser: Browser, page: Page): Promise<PageProbe> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    return new PageProbe(browser, page, devtools);
  }

  /** Milliseconds of CPU that the main thread has spent in tasks. */
  async cpuMs(): Promise<number> {
    const { metrics } = await this.#devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  }

  /** CPU of the main thread while something is done, until the page has painted it. */
  async cpuOf(work: () => Promise<void>): Promise<number> {
    const before = await this.cpuMs();
    await work();
    await this.painted();
    return (await this.cpuMs()) - before;
  }

  /** Waits for two frames: what was asked for is on the screen then. */
  async painted(): Promise<void> {
    await this.#page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        }),
    );
  }

  async seen(): Promise<Seen> {
    const seen = await this.#page.evaluate(() => globalThis.__seen);
    if (seen === undefined) throw new Error("the probe does not run in this page");
    return seen;
  }

  async forgetPaints(): Promise<void> {
    await this.#page.evaluate(() => globalThis.__seen?.paintsMs.splice(0));
  }

  async heapMb(): Promise<number> {
    await this.#devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#devtools.send("Runtime.getHeapUsage");
    return usedSize / 1024 / 1024;
  }

  /** Timers that fire and functions that run in the page's threads while nobody does anything. */
  async wakeups(forMs: number): Promise<number> {
    await this.#browser.startTracing(this.#page, { categories: ["devtools.timeline"] });
    await this.#page.waitForTimeout(forMs);
    const trace = JSON.parse((await this.#browser.stopTracing()).toString()) as {
      readonly traceEvents: readonly { readonly name: string; readonly ph: string }[];
    };
    const names = new Set(["TimerFire", "FireAnimationFrame", "FireIdleCallback"]);
    return trace.traceEvents.filter(({ name, ph }) => ph !== "E" && names.has(name)).length;
  }
}
