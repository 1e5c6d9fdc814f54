import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const WORKER = "sw.js";
/** Pages that are nothing without the server. */
const ONLINE: ReadonlySet<string> = new Set(["authorize.html"]);
/** What is worth packing; pictures are packed already. */
const TEXTS: ReadonlySet<string> = new Set([".html", ".js", ".css", ".svg", ".webmanifest"]);

/**
 * The last steps of a build: tells the service worker which files the app consists of, and packs
 * every file once, so that the server need not.
 */
export function finishBuild(folder: string): Plugin {
  return {
    name: "outline:finish-build",
    apply: "build",
    // Not `closeBundle`, which is called after a failure too, and would hide it behind one of its own.
    writeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        const names = await namesIn(folder);
        await writePrecacheList(folder, names);
        for (const name of names) if (TEXTS.has(extname(name))) await pack(join(folder, name));
      },
    },
  };
}

async function writePrecacheList(folder: string, names: readonly string[]): Promise<void> {
  const hash = createHash("sha256");
  const paths: string[] = [];
  const source = await readFile(join(folder, WORKER), "utf8");
  const isKept = (name: string): boolean =>
    name !== WORKER && !ONLINE.has(name) && !name.endsWith(".map");
  for (const name of names.filter(isKept)) {
    paths.push(name === "index.html" ? "/" : `/${name}`);
    hash.update(name).update(await readFile(join(folder, name)));
  }
  const version = hash.update(source).digest("hex").slice(0, 16);
  // Definitions in front, instead of an edit in the middle of what a minifier wrote.
  const head = `const APP_FILES=${JSON.stringify(paths)},APP_VERSION="${version}";\n`;
  await writeFile(join(folder, WORKER), head + source);
}

async function pack(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params: quality }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

/** Every file of a folder, in a fixed order, with `/` between. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .toSorted();
}
