import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { CDPSession, Page } from "playwright-core";
import { build } from "vite";
import { sharedChromium } from "../../support/chromium.ts";
import type { Fixture, PageState } from "./fixture.ts";

/** A page with the editor in it, in a real browser. */
export class EditorPage {
  readonly page: Page;
  readonly #protocol: CDPSession;

  private constructor(page: Page, protocol: CDPSession) {
    this.page = page;
    this.#protocol = protocol;
  }

  static async launch(): Promise<EditorPage> {
    const browser = await sharedChromium();
    // Closed with its page.
    const page = await browser.newPage();
    const css = new URL("../../../../client/app/editor/editor.css", import.meta.url);
    await page.setContent('<div><div id="name"></div><div id="note"></div></div>');
    await page.addStyleTag({ content: await readFile(css, "utf8") });
    await page.addScriptTag({ content: await builtFixture() });
    return new EditorPage(page, await page.context().newCDPSession(page));
  }

  async close(): Promise<void> {
    await this.page.close();
  }

  /** Begins anew, with the selection in the name. */
  async open(name: string, anchor = 0, head = anchor): Promise<void> {
    await this.run((fixture, text) => fixture.open(text), name);
    await this.select(anchor, head);
  }

  async select(anchor: number, head = anchor): Promise<void> {
    await this.run((fixture, [a, h]) => fixture.select(a, h), [anchor, head] as const);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  /** What an input method shows while it composes. */
  async compose(text: string): Promise<void> {
    const { length } = text;
    await this.#protocol.send("Input.imeSetComposition", {
      text,
      selectionStart: length,
      selectionEnd: length,
    });
  }

  /** Ends a composition, or puts text in the place of the selection as a spell checker does. */
  async insert(text: string): Promise<void> {
    await this.#protocol.send("Input.insertText", { text });
  }

  state(part: "name" | "note" = "name"): Promise<PageState> {
    return this.run((fixture, which) => fixture.state(which), part);
  }

  /** Calls something in the page. */
  async run<T, A = undefined>(work: (fixture: Fixture, input: A) => T, input?: A): Promise<T> {
    const call = `(${work.toString()})(window.fixture, ${JSON.stringify(input)})`;
    const answer: unknown = await this.page.evaluate(call);
    return answer as T;
  }
}

async function builtFixture(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      lib: {
        entry: fileURLToPath(new URL("./fixture.ts", import.meta.url)),
        formats: ["iife"],
        name: "fixtureModule",
      },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  const chunk = output !== undefined && "output" in output ? output.output[0] : undefined;
  if (chunk === undefined) throw new Error("the fixture was not built");
  return chunk.code;
}
