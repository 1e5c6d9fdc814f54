import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { TcpProxy } from "../../support/tcp-proxy.ts";
import type { AppServer } from "./app-server.ts";
import { SOON } from "./eventually.ts";

/** A browser that is signed out may never say that it has closed: it goes with its process. */
const LEAVING_MS = 10_000;

/** What nobody has of those that are lent, in all the files that this process runs one after the other. */
const free: Profile[] = [];

/** A browser of its own, as far as the app can tell, behind a network of its own. */
export class Profile {
  readonly context: BrowserContext;
  readonly network: TcpProxy;
  readonly #server: AppServer;
  /** Of the app's address but without the app: its process is that of the pages which it opens. */
  #keeper: Page | undefined;

  private constructor(context: BrowserContext, network: TcpProxy, server: AppServer) {
    this.context = context;
    this.network = network;
    this.#server = server;
  }

  static async open(
    browser: Browser,
    server: AppServer,
    options: BrowserContextOptions,
  ): Promise<Profile> {
    const network = await server.network();
    const context = await browser.newContext(options);
    context.setDefaultTimeout(SOON.timeout);
    // Where tsx runs this file, functions that go to the page refer to a helper of it.
    await context.addInitScript("globalThis.__name = (named) => named");
    return new Profile(context, network, server);
  }

  /**
   * One that others may have had. In its process, which knows the app's scripts, the app starts in half
   * the time.
   */
  static async borrow(browser: Browser, server: AppServer): Promise<Profile> {
    const index = free.findLastIndex(
      (each) => each.#server === server && each.context.browser() === browser,
    );
    const [known] = index === -1 ? [] : free.splice(index, 1);
    if (known !== undefined) return known;
    const profile = await Profile.open(browser, server, { serviceWorkers: "block" });
    profile.#keeper = await profile.context.newPage();
    await profile.#keeper.goto(`${profile.network.url}/icon.svg`);
    return profile;
  }

  /** A new page, of one that is lent in the process of all its pages. */
  async page(): Promise<Page> {
    if (this.#keeper === undefined) return this.context.newPage();
    const [page] = await Promise.all([
      this.context.waitForEvent("page"),
      this.#keeper.evaluate(() => {
        const opened = open("about:blank");
        if (opened === null) throw new Error("no page was opened");
        opened.opener = null;
      }),
    ]);
    return page;
  }

  /** @param isDone whether nothing of it goes on, so that others may have it if it is one that is lent */
  async leave(isDone: boolean): Promise<void> {
    const isClear = isDone && this.#keeper !== undefined && (await inTime(this.#clear()));
    if (isClear) {
      free.push(this);
      return;
    }
    await inTime(this.context.close());
    await this.#server.endNetwork(this.network);
  }

  /** Forgets who had it: their pages, what these have stored, and what has become of the network. */
  async #clear(): Promise<void> {
    const keeper = this.#keeper;
    if (keeper === undefined) return;
    const pages = this.context.pages().filter((page) => page !== keeper);
    await Promise.all(pages.map((page) => page.close()));
    await this.network.pass();
    this.network.dropConnections();
    await this.context.clearCookies();
    const devtools = await this.context.newCDPSession(keeper);
    const origin = this.network.url;
    await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await devtools.detach();
  }
}

async function inTime(work: Promise<void>): Promise<boolean> {
  const over = new AbortController();
  const { signal } = over;
  const late = delay(LEAVING_MS, false, { signal }).catch(() => false);
  const isInTime = await Promise.race([work.then(() => true), late]);
  over.abort();
  return isInTime;
}
