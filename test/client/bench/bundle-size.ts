import { readdir, readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const APP = fileURLToPath(new URL("../../../dist/app", import.meta.url));

export interface BundleSize {
  /** What the page loads before it shows anything, packed with gzip. */
  readonly firstKb: number;
  /** All that it loads later, the service worker and other workers included. */
  readonly lazyKb: number;
}

/** Reads the built app. */
export async function bundleSize(): Promise<BundleSize> {
  const page = await readFile(join(APP, "index.html"), "utf8");
  const first = new Set<string>();
  const pending = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(
    ([, path]) => path,
  );
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (first.has(path)) continue;
    first.add(path);
    const source = await readFile(join(APP, path), "utf8");
    // Minified: `import{a}from"./b.js"`, `import"./b.js"`; not `import("./b.js")`.
    for (const [, name] of source.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) {
      pending.push(`assets/${name}`);
    }
  }
  const names = await readdir(APP, { recursive: true });
  const scripts = names.filter((name) => name.endsWith(".js"));
  const sizeOf = async (paths: Iterable<string>): Promise<number> => {
    let bytes = 0;
    for (const path of paths) bytes += (await stat(join(APP, `${path}.gz`))).size;
    return bytes / 1024;
  };
  return {
    firstKb: await sizeOf(first),
    lazyKb: await sizeOf(scripts.filter((name) => !first.has(name))),
  };
}
