import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { dictionaryOpml } from "../../bench/dictionary-outline.ts";
import { depthsOf, lastOutlineOf, markdownOfTrace } from "../../bench/trace-outline.ts";
import { indentedOutline } from "../support/large-outline.ts";

/** An outline to measure, as a file to import. */
export interface BenchOutline {
  readonly name: string;
  readonly nodes: number;
  readonly extension: "txt" | "md" | "opml";
  readonly content: string;
}

export const SIZES = [1000, 10_000, 100_000];

export function syntheticOutline(nodes: number): BenchOutline {
  const name = nodes.toLocaleString("en");
  return { name, nodes, extension: "txt", content: indentedOutline(nodes) };
}

/** Two public lists as they are today, and a dictionary. @param folder of traces */
export function* realOutlines(folder: string): Generator<BenchOutline> {
  for (const name of ["awesome", "awesome-go"]) {
    const trace = lastOutlineOf(pathToFileURL(join(folder, `${name}.jsonl.gz`)));
    const nodes = depthsOf(trace).length;
    yield { name, nodes, extension: "md", content: markdownOfTrace(trace) };
  }
  const content = dictionaryOpml();
  const nodes = content.split("<outline ").length - 1;
  yield { name: "dictionary", nodes, extension: "opml", content };
}
