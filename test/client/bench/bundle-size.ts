import { readdir, readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const APP = fileURLToPath(new URL("../../../dist/app", import.meta.url));

export interface BundleSize {
  /** What the page loads before it shows the rows of the last view, packed with gzip. */
  readonly firstKb: number;
  /** That and what it takes until the outline can be edited. */
  readonly openKb: number;
  /** The largest of the others: dialogs, formats, workers. */
  readonly largestLazyKb: number;
  /** Scripts in all, each a file. */
  readonly scripts: number;
}

/** Reads the built app. */
export async function bundleSize(): Promise<BundleSize> {
  const page = await readFile(join(APP, "index.html"), "utf8");
  const entries = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(
    ([, path]) => path,
  );
  const first = await withImports(entries);
  const names = await readdir(APP, { recursive: true });
  const scripts = names.filter((name) => name.endsWith(".js"));
  const opening = scripts.filter((name) => name.startsWith("assets/open-outline-"));
  const open = await withImports([...first, ...opening]);
  const others = scripts.filter((name) => !open.has(name));
  const sizes = await Promise.all(others.map((name) => sizeOf([name])));
  return {
    firstKb: await sizeOf(first),
    openKb: await sizeOf(open),
    largestLazyKb: Math.max(0, ...sizes),
    scripts: scripts.length,
  };
}

/** Scripts with all that they import when they start. */
async function withImports(entries: Iterable<string | undefined>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const pending = [...entries];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const source = await readFile(join(APP, path), "utf8");
    // Minified: `import{a}from"./b.js"`, `import"./b.js"`; not `import("./b.js")`.
    for (const [, name] of source.matchAll(/(?:from|import)["`]\.\/([^"`]+\.js)["`]/g)) {
      pending.push(`assets/${name}`);
    }
  }
  return found;
}

async function sizeOf(paths: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += (await stat(join(APP, `${path}.gz`))).size;
  return bytes / 1024;
}
