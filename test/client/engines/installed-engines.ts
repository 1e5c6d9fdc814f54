import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Engine, ENGINE_NAMES, type EngineName } from "./engine.ts";
import { startFirefox } from "./firefox.ts";
import { startWebKit } from "./webkit.ts";

/** An engine that this machine can run, or what it takes. */
export type InstalledEngine =
  | { readonly kind: "installed"; readonly start: () => Promise<Engine> }
  | { readonly kind: "missing"; readonly what: string };

const FIREFOX_COMMANDS = ["firefox-esr", "firefox"];
/** Looks for the programs that an engine needs. */
export async function findEngine(name: EngineName): Promise<InstalledEngine> {
  switch (name) {
    case "firefox":
      return findFirefox();
    case "webkit":
      return findWebKit();
  }
}

async function findFirefox(): Promise<InstalledEngine> {
  for (const command of FIREFOX_COMMANDS) {
    const path = await findCommand(command);
    if (path !== undefined) return { kind: "installed", start: () => startFirefox(path) };
  }
  return { kind: "missing", what: "firefox-esr" };
}

async function findWebKit(): Promise<InstalledEngine> {
  const driver = await findCommand("WebKitWebDriver");
  const display = await findCommand("Xvfb");
  if (driver === undefined) return { kind: "missing", what: "webkit2gtk-driver" };
  if (display === undefined) return { kind: "missing", what: "xvfb" };
  return { kind: "installed", start: () => startWebKit({ driver, display }) };
}

async function findCommand(command: string): Promise<string | undefined> {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    const path = join(folder, command);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** The engines that OUTLINE_TEST_ENGINES demands, as `firefox,webkit`. */
export function demandedEngines(value: string | undefined): ReadonlySet<EngineName> {
  const names = (value ?? "").split(",").map((name) => name.trim());
  return new Set(
    names
      .filter((name) => name !== "")
      .map((name) => {
        const known = ENGINE_NAMES.find((each) => each === name);
        if (known === undefined) throw new Error(`OUTLINE_TEST_ENGINES: no engine is ${name}`);
        return known;
      }),
  );
}
