import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  type ConsoleMessage,
  type Locator,
  type Page,
  type WebError,
} from "playwright-core";
import type { AppServer } from "./app-server.ts";
import { OutlineView } from "./outline-view.ts";
import { Profile } from "./profile.ts";
import type { TcpProxy } from "../../support/tcp-proxy.ts";

export interface DeviceOptions {
  /** Of whom the browser has signed in before; without one, the app asks for it. */
  readonly key?: string;
  readonly context?: BrowserContextOptions;
  /**
   * Whether it keeps the app's files, to start without a network: the service worker's installing takes a
   * third of the time that a page takes.
   */
  readonly installs?: boolean;
  /** By how much the device's clock is off. */
  readonly clockOffMs?: number;
  /** Runs in every page before its own scripts. */
  readonly beforeLoad?: () => void;
}

/** A network that is away is no defect of a page; what it does with that is. */
const NETWORK_NOISE =
  /^Failed to load resource|^WebSocket connection to|net::ERR_|^Fetch API|when fetching the script/;

/**
 * Runs in a page. Playwright's own clock puts another class in the place of `Date`, which the
 * library for time zones can't extend.
 */
function turnClock(offMs: number): void {
  // Nobody reads an attribute of this function but the next call of this one.
  const { real = Date.now } = Date.now as { readonly real?: () => number };
  Date.now = Object.assign(() => real() + offMs, { real });
}

/** A browser of its own, as far as the app can tell, behind a network of its own. */
export class Device extends OutlineView {
  readonly #profile: Profile;
  readonly page: Page;
  /** Errors of scripts and violations of the content security policy, in all of its pages. */
  readonly problems: string[] = [];
  readonly #size: ReturnType<Page["viewportSize"]>;
  #isClosed = false;

  private constructor(profile: Profile, page: Page) {
    super();
    this.#profile = profile;
    this.page = page;
    this.#size = page.viewportSize();
    this.context.on("weberror", this.#onError);
    this.context.on("console", this.#onConsole);
  }

  readonly #onError = (error: WebError): void => {
    this.problems.push(String(error.error()));
  };

  readonly #onConsole = (message: ConsoleMessage): void => {
    if (message.type() !== "error" || NETWORK_NOISE.test(message.text())) return;
    this.problems.push(message.text());
  };

  get context(): BrowserContext {
    return this.#profile.context;
  }

  get network(): TcpProxy {
    return this.#profile.network;
  }

  /** Opens the app's address. */
  static async open(browser: Browser, server: AppServer, options: DeviceOptions): Promise<Device> {
    const { key, context = {}, installs = false, clockOffMs = 0, beforeLoad } = options;
    const isUsual = !installs && clockOffMs === 0 && beforeLoad === undefined;
    if (isUsual && Object.keys(context).length === 0) {
      const profile = await Profile.borrow(browser, server);
      return Device.#in(profile, await profile.page(), key);
    }
    const serviceWorkers = installs ? "allow" : "block";
    const profile = await Profile.open(browser, server, { serviceWorkers, ...context });
    await profile.context.addInitScript(turnClock, clockOffMs);
    if (beforeLoad !== undefined) await profile.context.addInitScript(beforeLoad);
    return Device.#in(profile, await profile.page(), key);
  }

  static async #in(profile: Profile, page: Page, key: string | undefined): Promise<Device> {
    const { context, network } = profile;
    if (key !== undefined) {
      const signedIn = await context.request.post(`${network.url}/session`, { data: { key } });
      if (!signedIn.ok()) throw new Error(`no session: ${await signedIn.text()}`);
    }
    const device = new Device(profile, page);
    await page.goto(network.url);
    return device;
  }

  protected inPage<T>(run: () => T): Promise<T> {
    return this.page.evaluate(run);
  }

  /** Another tab: the same browser, the same network. */
  async newTab(): Promise<Device> {
    const tab = new Device(this.#profile, await this.context.newPage());
    await tab.page.goto(this.network.url);
    await tab.ready();
    return tab;
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByLabel("Your key").fill(key);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await this.ready();
  }

  /** Waits until the outline itself is there, not only the rows of the last view. */
  async ready(): Promise<void> {
    await this.page.locator("[role=tree]").waitFor();
    await this.page.locator("[data-part=status]").waitFor();
    // Menus, clipboard and dragging come right behind the rows.
    await this.page.locator(".outliner[data-complete=true]").waitFor();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Leaves what the last test was in: a dialog, a search, a line that was looked into. */
  async rest(): Promise<void> {
    await this.network.pass();
    for (const open of await this.page.locator("dialog[open], [role=menu]").all()) {
      await this.press("Escape");
      await open.waitFor({ state: "hidden" });
    }
    if (this.#size !== null) await this.page.setViewportSize(this.#size);
    await this.page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      if (!["", "#/"].includes(location.hash)) location.hash = "#/";
      scrollTo(0, 0);
    });
  }

  /** Waits until the app could start without a network. */
  async installed(): Promise<void> {
    await this.page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
  }

  row(key: string): Locator {
    return this.page.locator(`[role=treeitem][data-key="${key}"]`);
  }

  name(key: string): Locator {
    return this.row(key).locator("[data-part=name]");
  }

  /** Puts the caret at the start or the end of a row's name, by mouse and key, as a person does. */
  async focus(key: string, place: "Home" | "End" = "End"): Promise<void> {
    await this.name(key).click();
    await this.page.keyboard.press(place);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** What browsers do when somebody pastes. @param at what the browser sends it to */
  async paste(
    content: Readonly<Record<string, string>>,
    at: "focus" | "body" = "focus",
  ): Promise<void> {
    await this.page.evaluate(
      ([given, place]) => {
        const clipboardData = new DataTransfer();
        for (const [type, text] of Object.entries(given)) clipboardData.setData(type, text);
        const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
        const target = place === "focus" ? document.activeElement : null;
        (target ?? document.body).dispatchEvent(new ClipboardEvent("paste", init));
      },
      [content, at] as const,
    );
  }

  /** What browsers do when somebody copies or cuts: what is on the clipboard then. */
  async copy(
    kind: "copy" | "cut" = "copy",
    at: "focus" | "body" = "focus",
  ): Promise<Readonly<Record<string, string>>> {
    return this.page.evaluate(
      ([type, place]) => {
        const clipboardData = new DataTransfer();
        const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
        const target = place === "focus" ? document.activeElement : null;
        (target ?? document.body).dispatchEvent(new ClipboardEvent(type, init));
        return Object.fromEntries(
          clipboardData.types.map((each) => [each, clipboardData.getData(each)]),
        );
      },
      [kind, at] as const,
    );
  }

  /** Sets the device's clock anew. */
  async turnClock(offMs: number): Promise<void> {
    await this.page.evaluate(turnClock, offMs);
  }

  /** The network works again, and the system says so, as when Wi-Fi is found. */
  async comeBack(): Promise<void> {
    await this.network.pass();
    await this.page.evaluate(() => window.dispatchEvent(new Event("online")));
  }

  devtools(): Promise<CDPSession> {
    return this.context.newCDPSession(this.page);
  }

  /** @param isDone whether nothing of it is left that goes on */
  async close(isDone = true): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.context.off("weberror", this.#onError);
    this.context.off("console", this.#onConsole);
    await this.#profile.leave(isDone);
  }
}
