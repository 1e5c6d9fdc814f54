import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdir, mkdtemp, readFile, rename, rm, statfs, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Names under which a system installs Chromium. The shell is for tests alone, and takes half the time. */
const COMMANDS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

const WHAT_TO_DO =
  "Install Chromium, or name one in OUTLINE_CHROMIUM, or run `npx playwright-core install chromium`.";

interface Executable {
  readonly path: string;
  /** Where it looks for libraries and fonts that the system may not have. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts a Chromium: the one named by OUTLINE_CHROMIUM, the machine's own, Playwright's, or else the
 * one of an npm package. Rejects, saying what to do, when none starts: tests are never skipped.
 * @param flags besides the usual ones
 */
export async function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  const { path, environment = {} } = await findExecutable();
  try {
    return await chromium.launch({
      executablePath: path,
      args: [...FLAGS, ...flags],
      ignoreDefaultArgs: (await hasSharedMemory()) ? ["--disable-dev-shm-usage"] : [],
      env: { ...process.env, ...environment },
    });
  } catch (error) {
    throw new Error(`${path} does not start. ${WHAT_TO_DO}`, { cause: error });
  }
}

/** Of all the files that this process runs one after the other; it ends with the process. */
let shared: Promise<Browser> | undefined;

/** The one that all files of this process share: each has a context of its own in it, and closes that. */
export async function sharedChromium(): Promise<Browser> {
  const known = await shared?.catch(() => undefined);
  if (known?.isConnected() === true) return known;
  shared = launchChromium();
  return shared;
}

/** Processes that share files instead take a sixth more of the processor. Containers may have 64 MB. */
async function hasSharedMemory(): Promise<boolean> {
  return statfs("/dev/shm").then(
    ({ bsize, bavail }) => bsize * bavail >= 2 ** 30,
    () => false,
  );
}

async function findExecutable(): Promise<Executable> {
  const named = process.env["OUTLINE_CHROMIUM"];
  if (named !== undefined && named !== "") return { path: named };
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const places = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  for (const path of [...places, chromium.executablePath()]) {
    if (await isExecutable(path)) return { path };
  }
  return packagedExecutable();
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/*
 * The package is made for AWS Lambda: told by the environment that it is there, it unpacks what its
 * binary needs besides the C library (NSS, expat, fonts) next to it, all into TMPDIR. Run with nothing
 * but these and glibc in a bare root folder, it works. A process of its own has the environment
 * changed, not the tests'.
 */
const UNPACK = `
  const { default: packaged } = await import(process.argv[1]);
  await packaged.executablePath();
`;

/** The package's own looks for fonts where Lambda has them; without any, a text field ends the browser. */
const FONTS_CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

const run = promisify(execFile);

/** Unpacks it (240 MB, in about a second) next to the package, once for all test files. */
async function packagedExecutable(): Promise<Executable> {
  const entry = import.meta.resolve("@sparticuz/chromium");
  const manifest = await readFile(new URL("../../package.json", entry), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const cache = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));
  const folder = join(cache, `chromium-${version}`);
  if (!(await isExecutable(join(folder, "chromium")))) await unpack(entry, cache, folder);
  return {
    path: join(folder, "chromium"),
    environment: {
      LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
      FONTCONFIG_PATH: join(folder, "fonts"),
    },
  };
}

async function unpack(entry: string, cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, "unpacking-"));
  try {
    await run(process.execPath, ["--input-type=module", "-e", UNPACK, entry], {
      env: { TMPDIR: fresh, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" },
    });
    await writeFile(join(fresh, "fonts", "fonts.conf"), FONTS_CONFIGURATION);
    // Another test file may have been faster; what it has unpacked is the same.
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (!(await isExecutable(join(folder, "chromium")))) throw error;
    });
  } catch (error) {
    throw new Error(`No Chromium was found. ${WHAT_TO_DO}`, { cause: error });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
