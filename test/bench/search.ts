import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answered, asked, textOf } from "./asked.ts";
import type { BenchProgram } from "./bench-program.ts";
import { cpuMs } from "./cpu-time.ts";
import { median } from "./median.ts";
import { plantOutline, serveOutline } from "./planted-outline.ts";

export interface SearchFigures {
  /** Processor milliseconds of the server, by round, for a word. */
  readonly wordMs: readonly number[];
  /** The same where each name in lower case is asked whether it has the word. */
  readonly floorMs: readonly number[];
  /** For the dearest of the queries. */
  readonly worstMs: readonly number[];
  /** The longest time that the server's event loop stood still in any of them. */
  readonly stallMs: number;
}

const ROUNDS = 9;
const MOST_TERMS = 50;
const WORD = "children";

function times(count: number, term: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => term(index));
}

/** Each is asked of all nodes: few are found, or all of them are counted and sorted. */
const DEAR: readonly (readonly [text: string, rest?: string])[] = [
  [times(MOST_TERMS, (index) => `zq${index}x`).join(" OR ")],
  [`${times(MOST_TERMS - 1, (index) => `-zq${index}x`).join(" ")} zz`],
  [times(MOST_TERMS / 2, () => "o").join(" > ")],
  ["e o n r s t i", "&sort=modified&include=path,spans,count&limit=500"],
  ["o", "&sort=modified&include=path,spans,count&limit=500"],
];

/** What searches of an outline of some size cost the built program, once it has read the texts. */
export async function benchSearch(nodes: number): Promise<SearchFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const planted = await plantOutline(folder, nodes);
    const server = await serveOutline(planted);
    try {
      return await searches(server, planted.key);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function searches(server: BenchProgram, key: string): Promise<SearchFigures> {
  const { nodes } = JSON.parse(await textOf(server, "/api/v1/nodes-export", key)) as {
    readonly nodes: readonly { readonly name: string }[];
  };
  const names = nodes.map(({ name }) => name.toLowerCase());
  const floorMs: number[] = [];
  let stallMs = 0;
  const rounds = async (text: string, rest = ""): Promise<readonly number[]> => {
    const path = `/api/v1/search?q=${encodeURIComponent(text)}${rest}`;
    const answers: Answered[] = [];
    // The first ones are for the compiler.
    for (let round = -3; round < ROUNDS; round++) {
      const answer = await asked(server, path, key);
      if (round >= 0) answers.push(answer);
    }
    stallMs = Math.max(stallMs, median(answers.map((answer) => answer.stallMs)));
    return answers.map((answer) => answer.cpuMs);
  };
  const wordMs = await rounds(WORD);
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuMs();
    if (names.filter((name) => name.includes(WORD)).length === 0) throw new Error("nothing found");
    floorMs.push(cpuMs() - before);
  }
  const all: (readonly number[])[] = [];
  for (const [text, rest] of DEAR) all.push(await rounds(text, rest));
  const [worstMs = []] = all.toSorted((one, other) => median(other) - median(one));
  return { wordMs, floorMs, worstMs, stallMs };
}
