import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plantOutline, serveOutline } from "./planted-outline.ts";

/** What an answer took: requests, and the bytes of their bodies and answers, not packed. */
export interface Asked {
  readonly requests: number;
  readonly bytes: number;
}

/** Of a question: as it is asked, and as it had to be asked of the first version. */
export interface Question {
  readonly now: Asked;
  readonly before: Asked;
}

export type QuestionFigures = Readonly<
  Record<"changes" | "search" | "subtree" | "path" | "plan" | "same", Question>
>;

interface Node {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
}

/** A program that counts what it asks. */
class Asker {
  readonly #url: string;
  readonly #key: string;
  #requests = 0;
  #bytes = 0;

  constructor(url: string, key: string) {
    this.#url = `${url}/api/v1`;
    this.#key = key;
  }

  async ask(path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(this.#url + path, {
      headers: { authorization: `Bearer ${this.#key}`, "accept-encoding": "identity", ...headers },
      ...(text === undefined ? undefined : { method: "POST", body: text }),
    });
    const answer = await response.text();
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${answer}`);
    this.#requests += 1;
    this.#bytes += Buffer.byteLength(path + (text ?? "") + answer);
    return { answer, tag: response.headers.get("etag") ?? "" };
  }

  async json<T>(path: string, body?: object): Promise<T> {
    return JSON.parse((await this.ask(path, body)).answer) as T;
  }

  /** What was asked since this was looked at last. */
  counted(): Asked {
    const asked = { requests: this.#requests, bytes: this.#bytes };
    this.#requests = 0;
    this.#bytes = 0;
    return asked;
  }
}

const LINES = Array.from({ length: 10 }, (_, index) => `step ${index + 1} of the plan`);
const EDITED = 20;

/** Six things that programs ask every day, of an outline of some size, served by the built program. */
export async function benchQuestions(nodes: number): Promise<QuestionFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const planted = await plantOutline(folder, nodes);
    const server = await serveOutline(planted);
    try {
      return await questionsTo(new Asker(server.url, planted.key), planted.listed);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function questionsTo(asker: Asker, listed: string): Promise<QuestionFigures> {
  const both = async (now: () => Promise<void>, before: () => Promise<void>): Promise<Question> => {
    asker.counted();
    await now();
    const ofNow = asker.counted();
    await before();
    return { now: ofNow, before: asker.counted() };
  };
  const exportAll = async (): Promise<void> => void (await asker.ask("/nodes-export"));
  const { nodes } = await asker.json<{ nodes: readonly Node[] }>("/nodes-export");
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const deepest = nodes.at(-1);
  if (deepest === undefined) throw new Error("an empty outline");

  const { cursor } = await asker.json<{ cursor: string }>("/changes?limit=1");
  for (const { id } of nodes.slice(100, 100 + EDITED)) {
    await asker.ask(`/nodes/${id}`, { name: "another name" });
  }
  const changes = await both(
    async () => void (await asker.ask(`/changes?since=${cursor}`)),
    exportAll,
  );
  const search = await both(
    async () => void (await asker.ask(`/search?q=${encodeURIComponent("twenty children")}`)),
    exportAll,
  );
  const top = nodes.find(({ parent_id: parent, name }) => parent === null && name.startsWith("0 "));
  const subtree = await both(
    async () => void (await asker.ask(`/nodes/${top?.id}/tree?depth=2`)),
    async () => {
      const children = await asker.json<{ nodes: readonly Node[] }>(`/nodes?parent_id=${top?.id}`);
      for (const { id } of children.nodes) await asker.ask(`/nodes?parent_id=${id}`);
    },
  );
  const path = await both(
    async () =>
      void (await asker.ask(
        `/search?include=path&limit=1&q=${encodeURIComponent(`"${deepest.name}"`)}`,
      )),
    async () => {
      for (let at: string | null = deepest.id; at !== null; at = byId.get(at)?.parent_id ?? null) {
        await asker.ask(`/nodes/${at}`);
      }
    },
  );
  const plan = await both(
    async () => {
      const operations = [
        { op: "create", name: "A plan", as: "$plan" },
        ...LINES.map((name) => ({ op: "create", parent_id: "$plan", name, position: "bottom" })),
      ];
      await asker.ask("/batch", { operations });
    },
    async () => {
      const made = await asker.json<{ item_id: string }>("/nodes", { name: "A plan" });
      for (const name of LINES) {
        await asker.ask("/nodes", { parent_id: made.item_id, name, position: "bottom" });
      }
    },
  );
  const list = `/nodes?parent_id=${listed}`;
  const { tag } = await asker.ask(list);
  const same = await both(
    async () => void (await asker.ask(list, undefined, { "if-none-match": tag })),
    async () => void (await asker.ask(list)),
  );
  return { changes, search, subtree, path, plan, same };
}
