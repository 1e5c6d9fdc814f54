import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { build } from "vite";

import { LastingFailure } from "../../../../client/lib/store/lasting-failure.ts";
import type {
  ReplicaStore,
  StoredReplica,
  StoreFailure,
} from "../../../../client/lib/store/replica-store.ts";
import { StoreError } from "../../../../client/lib/store/replica-store.ts";
import { sharedChromium } from "../../support/chromium.ts";
import type { PageReply } from "./page-calls.ts";
import { decode, encode, UPDATES_A_REPLY } from "./page-calls.ts";

/** A browser whose pages have stores, built like the app, worker and all. */
export interface StoreBrowser {
  readonly context: BrowserContext;
  /** @param site a name of its own for a site of its own: nothing is shared between two */
  newPage(site?: string): Promise<Page>;
  close(): Promise<void>;
}

export async function startStoreBrowser(): Promise<StoreBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "outline-page-"));
  await build({
    configFile: false,
    logLevel: "warn",
    worker: { format: "es" },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      rollupOptions: {
        input: fileURLToPath(new URL("page-stores.ts", import.meta.url)),
        output: { entryFileNames: "page.js" },
      },
    },
  });
  const server = await serve(folder);
  const { port } = server.address() as AddressInfo;
  const browser = await sharedChromium();
  const context = await browser.newContext();
  return {
    context,
    newPage: async (site) => {
      const page = await context.newPage();
      // Chromium finds every such name on this machine, and takes it for as safe as TLS.
      await page.goto(`http://${site === undefined ? "" : `${site}.`}localhost:${port}`);
      await page.waitForFunction("globalThis.answer !== undefined");
      return page;
    },
    close: async () => {
      await context.close();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (extname(path) !== ".js") {
      response.setHeader("Content-Type", "text/html");
      response.end(`<!doctype html><script type="module" src="/page.js"></script>`);
      return;
    }
    response.setHeader("Content-Type", "text/javascript");
    void readFile(join(folder, path)).then(
      (file) => response.end(file),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return server;
}

/** Opens a store in a page, to be used from outside. */
export async function storeIn(page: Page, name: string): Promise<PageStore> {
  const { value, error } = await call(page, -1, "open", [name]);
  if (error !== undefined) throw errorOf(error);
  return new PageStore(page, Number(value));
}

interface Waiting {
  readonly asked: string;
  readonly reply: (text: string) => void;
  readonly fail: (error: unknown) => void;
}

const waiting = new WeakMap<Page, Waiting[]>();

/** What is asked in one turn here is asked in one turn there: tests are about what is begun at once. */
async function call(
  page: Page,
  handle: number,
  method: string,
  args: readonly unknown[],
): Promise<PageReply> {
  const asked = encode({ handle, method, args });
  const text = await new Promise<string>((reply, fail) => {
    const queue = waiting.get(page) ?? [];
    waiting.set(page, queue);
    queue.push({ asked, reply, fail });
    if (queue.length === 1) setImmediate(() => void send(page, queue.splice(0)));
  });
  return decode(text) as PageReply;
}

async function send(page: Page, calls: readonly Waiting[]): Promise<void> {
  const asked = JSON.stringify(calls.map((each) => each.asked));
  try {
    const replies = await page.evaluate<readonly string[]>(`Promise.all(${asked}.map(answer))`);
    for (const [index, { reply }] of calls.entries()) reply(replies[index] ?? "");
  } catch (error) {
    for (const { fail } of calls) fail(error);
  }
}

function errorOf({ code, message }: NonNullable<PageReply["error"]>): StoreError {
  return new StoreError(code as StoreFailure, message);
}

class PageStore implements ReplicaStore {
  readonly #page: Page;
  readonly #handle: number;
  readonly #failure = new LastingFailure();

  constructor(page: Page, handle: number) {
    this.#page = page;
    this.#handle = handle;
  }

  async read(): Promise<StoredReplica> {
    // An absent outline is not there at all on its way through JSON.
    const read = await this.#call<Omit<StoredReplica, "updates"> & { reader: number }>("read");
    const { reader, ...rest } = { ...read, outline: read.outline };
    return { ...rest, updates: this.#updates(reader) };
  }

  write: ReplicaStore["write"] = (batch) => this.#call("write", batch);
  readNew: ReplicaStore["readNew"] = () => this.#call("readNew");
  compact: ReplicaStore["compact"] = () => this.#call("compact");
  replace: ReplicaStore["replace"] = (replica) => this.#call("replace", replica);
  beginAnew: ReplicaStore["beginAnew"] = () => this.#call("beginAnew");
  readRecord: ReplicaStore["readRecord"] = (name) => this.#call("readRecord", name);
  destroy: ReplicaStore["destroy"] = () => this.#call("destroy");
  close: ReplicaStore["close"] = () => this.#call("close");

  /** An update of so many bytes, which are not sent to the page one by one. */
  writeMuch(bytes: number): Promise<void> {
    return this.#call("writeMuch", bytes);
  }

  async writeRecord(name: string, value: unknown): Promise<void> {
    // Nothing that is absent gets through JSON but by its absence.
    await this.#call("writeRecord", name, ...(value === undefined ? [] : [value]));
  }

  onFailure(listener: (error: StoreError) => void): () => void {
    return this.#failure.onFailure(listener);
  }

  async *#updates(reader: number): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const { value, error } = await call(this.#page, reader, "next", []);
      if (error !== undefined) throw errorOf(error);
      const updates = value as readonly Uint8Array[];
      yield* updates;
      if (updates.length < UPDATES_A_REPLY) return;
    }
  }

  async #call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    const { value, error, failure } = await call(this.#page, this.#handle, method, args);
    if (failure !== undefined) {
      this.#failure.end();
      this.#failure.set(errorOf(failure));
    }
    if (error !== undefined) throw errorOf(error);
    return value as T;
  }
}
