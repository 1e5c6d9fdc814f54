import { copyFile, readFile, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Makes a package of the built library: its manifest, with the packages that the library imports in the
 * versions that this program has, its README and the licence.
 */
export function packageFiles(folder: string): Plugin {
  return {
    name: "outline:package-files",
    apply: "build",
    async writeBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
      const own = new Set(chunks.map(({ fileName }) => fileName));
      const imported = chunks
        .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
        .filter((name) => !own.has(name) && !isBuiltIn(name));
      const root = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Manifest;
      const manifest = manifestOf(root, imported.map(packageOf));
      await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
      await copyFile(join(ROOT, "client", "lib", "README.md"), join(folder, "README.md"));
      await copyFile(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    },
  };
}

function manifestOf({ version, license, engines, dependencies }: Manifest, packages: string[]) {
  return {
    name: "outline-client",
    version,
    description: "A replica of an outline in Node or in a browser: works offline, merges, syncs",
    license,
    type: "module",
    engines,
    sideEffects: false,
    files: ["*.js", "rest.d.ts", "assets/*.js", "types"],
    exports: {
      ".": {
        node: { types: typesOf("node"), default: "./node.js" },
        default: { types: typesOf("browser"), default: "./browser.js" },
      },
      "./rest": { types: "./rest.d.ts", default: "./rest.js" },
    },
    dependencies: Object.fromEntries(
      [...new Set(packages)].toSorted().map((name) => {
        const range = dependencies[name];
        if (range === undefined)
          throw new Error(`the library imports ${name}, which is no dependency`);
        return [name, range];
      }),
    ),
  };
}

function typesOf(platform: string): string {
  return `./types/client/lib/${platform}/index.d.ts`;
}

function isBuiltIn(name: string): boolean {
  return name.startsWith("node:") || builtinModules.includes(name);
}

/** `lib0/buffer` is a part of `lib0`, `@a/b/c` of `@a/b`. */
function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}
