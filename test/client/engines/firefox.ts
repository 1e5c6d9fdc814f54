import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BidiConnection } from "./bidi-connection.ts";
import { BrowserProcess } from "./browser-process.ts";
import type { Engine, EngineTab, InputMethod, Profile } from "./engine.ts";
import { firefoxInputMethod } from "./firefox-input-method.ts";
import type { InputSource } from "./key-actions.ts";
import { pageAnswer, pageCall } from "./page-call.ts";

/** A Firefox without a window on the screen, driven by WebDriver BiDi, without a driver between. */
export async function startFirefox(command: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), "outline-firefox-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  let program: BrowserProcess | undefined;
  try {
    program = await BrowserProcess.start({
      command,
      args: [
        "--headless",
        "--no-remote",
        "--profile",
        folder,
        "--remote-debugging-port=0",
        // For its input method, which pages can't play.
        "--remote-allow-system-access",
      ],
      environment: { MOZ_CRASHREPORTER_DISABLE: "1" },
      ready: /WebDriver BiDi listening on (?<said>ws:\S+)/,
    });
    const connection = await BidiConnection.open(`${program.said}/session`);
    await connection.send("session.new", { capabilities: {} });
    return new Firefox(program, connection, removeFolder);
  } catch (error) {
    await program?.stop();
    await removeFolder();
    throw error;
  }
}

class Firefox implements Engine {
  readonly #program: BrowserProcess;
  readonly #connection: BidiConnection;
  readonly #removeFolder: () => Promise<void>;

  constructor(
    program: BrowserProcess,
    connection: BidiConnection,
    removeFolder: () => Promise<void>,
  ) {
    this.#program = program;
    this.#connection = connection;
    this.#removeFolder = removeFolder;
  }

  async profile(): Promise<Profile> {
    const connection = this.#connection;
    const { userContext } = await connection.send<{ userContext: string }>(
      "browser.createUserContext",
    );
    return {
      async tab() {
        const { context } = await connection.send<{ context: string }>("browsingContext.create", {
          type: "window",
          userContext,
        });
        return new FirefoxTab(connection, context);
      },
      async close() {
        await connection.send("browser.removeUserContext", { userContext });
      },
    };
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#program.stop();
    await this.#removeFolder();
  }
}

interface ScriptResult {
  readonly type: "success" | "exception";
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
}

class FirefoxTab implements EngineTab {
  readonly #connection: BidiConnection;
  readonly #context: string;
  readonly inputMethod: InputMethod;

  constructor(connection: BidiConnection, context: string) {
    this.#connection = connection;
    this.#context = context;
    this.inputMethod = firefoxInputMethod(connection);
  }

  async goto(url: string): Promise<void> {
    const params = { context: this.#context, url, wait: "complete" };
    await this.#connection.send("browsingContext.navigate", params);
  }

  async reload(): Promise<void> {
    await this.#connection.send("browsingContext.reload", {
      context: this.#context,
      wait: "complete",
    });
  }

  async evaluate<T, A>(run: (given: A) => T | Promise<T>, given: A): Promise<T> {
    const answer = await this.#connection.send<ScriptResult>("script.callFunction", {
      functionDeclaration: pageCall(run, given),
      target: { context: this.#context },
      awaitPromise: true,
    });
    if (answer.type === "exception") throw new Error(answer.exceptionDetails?.text);
    return pageAnswer<T>(answer.result?.value);
  }

  async perform(source: InputSource): Promise<void> {
    const context = this.#context;
    await this.#connection.send("browsingContext.activate", { context });
    await this.#connection.send("input.performActions", { context, actions: [source] });
  }
}
