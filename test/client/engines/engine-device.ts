import { ok } from "node:assert/strict";
import type { TcpProxy } from "../../support/tcp-proxy.ts";
import type { AppServer } from "../support/app-server.ts";
import { eventually, SOON } from "../support/eventually.ts";
import { OutlineView } from "../support/outline-view.ts";
import type { EngineTab, InputMethod, Profile } from "./engine.ts";
import { combinationActions, dragActions, type Place, typingActions } from "./key-actions.ts";

/** A browser of some engine with the app in it, behind a network of its own. */
export class EngineDevice extends OutlineView {
  readonly #profile: Profile;
  readonly #tab: EngineTab;
  readonly network: TcpProxy;
  /** Errors of scripts and violations of the content security policy, while a page was open. */
  readonly problems: string[] = [];

  private constructor(profile: Profile, tab: EngineTab, network: TcpProxy) {
    super();
    this.#profile = profile;
    this.#tab = tab;
    this.network = network;
  }

  /** Opens the app's address, without signing in. */
  static async open(profile: Profile, server: AppServer): Promise<EngineDevice> {
    const network = await server.network();
    const device = new EngineDevice(profile, await profile.tab(), network);
    await device.#load();
    return device;
  }

  async signIn(key: string): Promise<void> {
    await this.click("input[type=password]");
    await this.type(key);
    await this.press("Enter");
    await this.ready();
  }

  /** Waits until the outline itself is there, not only the rows of the last view. */
  async ready(): Promise<void> {
    await this.has(".outliner[data-complete=true]");
    await this.has("[data-part=status]");
  }

  /** Looks into a line. */
  async look(line: string): Promise<void> {
    await this.run((each) => void (location.hash = `#/${each}`), line);
  }

  async reload(): Promise<void> {
    await this.collectProblems();
    await this.#tab.reload();
    await this.#watchProblems();
    await this.ready();
  }

  /** Waits until the app could start without a network. */
  async installed(): Promise<void> {
    await this.inPage(async () => {
      await navigator.serviceWorker.ready;
    });
  }

  /** The network works again, and the system says so, as when Wi-Fi is found. */
  async comeBack(): Promise<void> {
    await this.network.pass();
    await this.inPage(() => window.dispatchEvent(new Event("online")));
  }

  async press(...combinations: readonly string[]): Promise<void> {
    for (const each of combinations) await this.#tab.perform(combinationActions(each));
  }

  async type(text: string): Promise<void> {
    await this.#tab.perform(typingActions(text));
  }

  get inputMethod(): InputMethod {
    return this.#tab.inputMethod;
  }

  /** Waits until the page has an element. */
  async has(selector: string): Promise<void> {
    await eventually(
      () => this.#isThere(selector),
      (isThere) => ok(isThere, `the page has no ${selector}`),
    );
  }

  /** Waits until the page says something, anywhere. */
  async says(words: string): Promise<void> {
    await eventually(
      () => this.inPage(() => document.body.textContent),
      (text) => ok(text.includes(words), `the page does not say: ${words}`),
    );
  }

  /** Waits until there is an element, and clicks into its middle. */
  async click(selector: string): Promise<void> {
    await this.#tab.perform(dragActions([await this.middle(selector)]));
  }

  /** Clicks until there is what a click brings: what moves while it is aimed at is missed. */
  async clickUntil(selector: string, brought: string): Promise<void> {
    await eventually(
      async () => {
        if (await this.#isThere(brought)) return true;
        if (await this.#isThere(selector)) await this.click(selector);
        return this.#isThere(brought);
      },
      (isBrought) => ok(isBrought, `a click on ${selector} brings no ${brought}`),
      { timeout: SOON.timeout, interval: 1_000 },
    );
  }

  /** Presses the mouse's button at the first place and lets go at the last. */
  async drag(...path: readonly Place[]): Promise<void> {
    await this.#tab.perform(dragActions(path));
  }

  /** Waits until there is an element, and answers where. */
  async middle(selector: string): Promise<Place> {
    await this.has(selector);
    return this.#tab.evaluate((each) => {
      const element = document.querySelector(each);
      if (element === null) throw new Error(`the page has no ${each}`);
      element.scrollIntoView({ block: "nearest" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    }, selector);
  }

  /** Puts the caret at the start or the end of a row's name, by mouse and key, as a person does. */
  async focus(key: string, place: "Home" | "End" = "End"): Promise<void> {
    // What moves while it is aimed at is missed.
    await eventually(
      async () => {
        await this.click(`[role=treeitem][data-key="${key}"] [data-part=name]`);
        return this.caret();
      },
      (caret) => ok(caret?.key === key && caret.part === "name", "the caret is elsewhere"),
    );
    await this.press(place);
  }

  async run<T, A>(run: (given: A) => T | Promise<T>, given: A): Promise<T> {
    return this.#tab.evaluate(run, given);
  }

  async close(): Promise<void> {
    await this.collectProblems().catch(() => undefined);
    await this.#profile.close();
  }

  protected inPage<T>(run: () => T | Promise<T>): Promise<T> {
    return this.#tab.evaluate(run, undefined);
  }

  #isThere(selector: string): Promise<boolean> {
    return this.#tab.evaluate((each) => document.querySelector(each) !== null, selector);
  }

  async #load(): Promise<void> {
    await this.#tab.goto(this.network.url);
    await this.#watchProblems();
  }

  async #watchProblems(): Promise<void> {
    await this.inPage(() => {
      const note = (problem: string): void => {
        const { dataset } = document.documentElement;
        const noted = JSON.parse(dataset["problems"] ?? "[]") as string[];
        dataset["problems"] = JSON.stringify([...noted, problem]);
      };
      window.addEventListener("error", ({ message }) => {
        // It is told in the next frame; nothing has failed.
        if (!message.startsWith("ResizeObserver loop")) note(message);
      });
      window.addEventListener("unhandledrejection", (event) => note(String(event.reason)));
      document.addEventListener("securitypolicyviolation", (event) =>
        note(`${event.violatedDirective} ${event.blockedURI}`),
      );
    });
  }

  /** Puts what the open page has noted among the {@link problems}, once. */
  async collectProblems(): Promise<void> {
    const text = await this.inPage(() => {
      const noted = document.documentElement.dataset["problems"] ?? "[]";
      delete document.documentElement.dataset["problems"];
      return noted;
    });
    this.problems.push(...(JSON.parse(text) as string[]));
  }
}
