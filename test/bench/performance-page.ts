import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PAGE = fileURLToPath(new URL("../../docs/performance.md", import.meta.url));
const RESULTS = fileURLToPath(new URL("results.json", import.meta.url));
const FORMATTER = fileURLToPath(new URL("../../node_modules/.bin/oxfmt", import.meta.url));

/** Puts a text between the two markers of a name; throws when the page has lost them. */
export function withPart(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: written by the benchmark -->`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no part ${name}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** Renews parts of docs/performance.md; what people wrote around them stays. */
export async function renewPage(parts: Readonly<Record<string, string>>): Promise<void> {
  let page = await readFile(PAGE, "utf8");
  for (const [name, text] of Object.entries(parts)) page = withPart(page, name, text);
  await writeFile(PAGE, page);
  await promisify(execFile)(FORMATTER, [PAGE, RESULTS]);
}
