import { freePort } from "../../support/free-port.ts";
import { eventually } from "../support/eventually.ts";
import { BrowserProcess } from "./browser-process.ts";
import type { Engine, EngineTab, InputMethod, Profile } from "./engine.ts";
import { combinationActions, type InputSource, typingActions } from "./key-actions.ts";
import { pageAnswer, pageCall } from "./page-call.ts";
import { WebDriverSession } from "./webdriver-session.ts";

/** The programs of Debian's packages `webkit2gtk-driver` and `xvfb`. */
export interface WebKitPrograms {
  /** Which knows the browser that it comes with. */
  readonly driver: string;
  readonly display: string;
}

/** WebKitGTK on a screen that nobody sees. Each profile is a browser and a driver of its own. */
export async function startWebKit(programs: WebKitPrograms): Promise<Engine> {
  const screen = await BrowserProcess.start({
    command: programs.display,
    args: ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
    ready: /^(?<said>\d+)\n/m,
  });
  const profiles: Profile[] = [];
  return {
    async profile() {
      const profile = await WebKitProfile.start(programs, `:${screen.said}`);
      profiles.push(profile);
      return profile;
    },
    async close() {
      for (const profile of profiles) await profile.close();
      await screen.stop();
    },
  };
}

/** Its own input method, so that what is composed does not depend on the machine; no bus, no helpers. */
const ENVIRONMENT = {
  GTK_IM_MODULE: "gtk-im-context-simple",
  NO_AT_BRIDGE: "1",
  GDK_BACKEND: "x11",
};

/** Scripts wait for the app, on machines on which much else runs. */
const TIMEOUTS = { script: 60_000, pageLoad: 60_000 };

class WebKitProfile implements Profile {
  readonly #driver: BrowserProcess;
  readonly #session: WebDriverSession;
  /** The window that commands go to. */
  #front: string;
  /** The window that is there from the start, until it is somebody's. */
  #first: string | undefined;

  private constructor(driver: BrowserProcess, session: WebDriverSession, front: string) {
    this.#driver = driver;
    this.#session = session;
    this.#front = front;
    this.#first = front;
  }

  static async start(programs: WebKitPrograms, display: string): Promise<WebKitProfile> {
    const port = await freePort();
    const driver = await BrowserProcess.start({
      command: programs.driver,
      args: [`--port=${port}`],
      environment: { DISPLAY: display, ...ENVIRONMENT },
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      const listens = () =>
        fetch(`${url}/status`).then(
          () => true,
          () => false,
        );
      await eventually(listens, (isThere) => {
        if (!isThere) throw new Error(`${programs.driver} does not listen`);
      });
      const session = await WebDriverSession.open(url);
      await session.post("timeouts", TIMEOUTS);
      return new WebKitProfile(driver, session, await session.get("window"));
    } catch (error) {
      await driver.stop();
      throw error;
    }
  }

  async tab(): Promise<EngineTab> {
    const handle = this.#first ?? (await this.#newWindow());
    this.#first = undefined;
    return new WebKitTab(async () => {
      if (this.#front !== handle) await this.#session.post("window", { handle });
      this.#front = handle;
      return this.#session;
    });
  }

  /** The browser goes with its driver. */
  async close(): Promise<void> {
    await this.#driver.stop();
  }

  async #newWindow(): Promise<string> {
    const { handle } = await this.#session.post<{ handle: string }>("window/new", { type: "tab" });
    return handle;
  }
}

class WebKitTab implements EngineTab {
  /** The session, with this window in front. */
  readonly #session: () => Promise<WebDriverSession>;
  readonly inputMethod: InputMethod;

  constructor(session: () => Promise<WebDriverSession>) {
    this.#session = session;
    this.inputMethod = {
      // GTK's own: the number of a character, which is shown until a space ends it.
      begin: async () => this.perform(combinationActions("Control+Shift+u")),
      choose: async (character) => {
        const number = (character.codePointAt(0) ?? 0).toString(16);
        await this.perform(typingActions(`${number} `));
      },
    };
  }

  async goto(url: string): Promise<void> {
    await (await this.#session()).post("url", { url });
  }

  async reload(): Promise<void> {
    await (await this.#session()).post("refresh");
  }

  async evaluate<T, A>(run: (given: A) => T | Promise<T>, given: A): Promise<T> {
    const script = `(${pageCall(run, given)})().then(arguments[0]);`;
    return pageAnswer<T>(await (await this.#session()).post("execute/async", { script, args: [] }));
  }

  async perform(source: InputSource): Promise<void> {
    await (await this.#session()).post("actions", { actions: [source] });
  }
}
