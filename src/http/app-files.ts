import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** A form in which a file is kept: as it is, or packed when the app was built. */
export type Encoding = "identity" | "gzip" | "br";

/** A file of the web app, held in memory. */
export interface AppFile {
  /** Where it is answered: `/`, `/sw.js`, `/assets/main-Bq3x.js`. */
  readonly path: string;
  readonly contentType: string;
  /** Its name changes with its content, so a copy is good for ever. */
  readonly isImmutable: boolean;
  readonly forms: Readonly<Partial<Record<Encoding, FileForm>>> & { readonly identity: FileForm };
}

/** A file as it is sent. */
export interface FileForm {
  readonly body: Buffer;
  /** A quoted hash of the body. */
  readonly etag: string;
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".webmanifest", "application/manifest+json"],
  [".woff2", "font/woff2"],
]);

const PACKED: readonly { readonly encoding: Encoding; readonly extension: string }[] = [
  { encoding: "br", extension: ".br" },
  { encoding: "gzip", extension: ".gz" },
];

/** Pages whose address is not that of their file. */
const PAGE_PATHS: ReadonlyMap<string, string> = new Map([
  ["index.html", "/"],
  ["authorize.html", "/oauth/authorize"],
]);

const UNBUILT = "The web app has not been built: run `npm run build` and start the server again.\n";

/**
 * Reads the built app. What is served is this list and nothing else, so no address can lead out of
 * the folder. Where there is no such folder, the list is one page that says so.
 */
export async function readAppFiles(folder: string): Promise<readonly AppFile[]> {
  const names = await namesIn(folder);
  const files = names.filter((name) => CONTENT_TYPES.has(extname(name)));
  if (!files.includes("index.html")) return [fileOf("", Buffer.from(UNBUILT), new Map())];
  // One after the other: the system may allow few open files. At the start nothing else waits.
  const bytesOf = (name: string): Buffer => readFileSync(join(folder, name));
  return files.map((name) => {
    const packed = new Map<Encoding, FileForm>();
    for (const { encoding, extension } of PACKED) {
      if (names.includes(name + extension)) packed.set(encoding, formOf(bytesOf(name + extension)));
    }
    return fileOf(name, bytesOf(name), packed);
  });
}

function fileOf(name: string, body: Buffer, packed: ReadonlyMap<Encoding, FileForm>): AppFile {
  return {
    path: PAGE_PATHS.get(name) ?? `/${name}`,
    contentType: CONTENT_TYPES.get(extname(name)) ?? "text/plain; charset=utf-8",
    isImmutable: name.startsWith("assets/"),
    forms: { ...Object.fromEntries(packed), identity: formOf(body) },
  };
}

function formOf(body: Buffer): FileForm {
  const hash = createHash("sha256").update(body).digest("base64url");
  return { body, etag: `"${hash.slice(0, 22)}"` };
}

/** The files of a folder and those below it, with `/` between; none when there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
