import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { isLoopback } from "./accounts/network-of.ts";
import type { Config } from "./config.ts";

/** A key that the first start has made, and where the person finds it. */
export type FirstKey =
  | { readonly kind: "printed"; readonly key: string }
  | { readonly kind: "kept"; readonly file: string };

/**
 * Whether a key may be printed: on a terminal a person reads it. Elsewhere the output is often kept,
 * by whatever runs a server that others reach; one for this machine alone is somebody's own.
 */
export function isPrinted({ firstKey, host }: Config, isTerminal: boolean): boolean {
  if (firstKey !== "auto") return firstKey === "print";
  return isTerminal || host === "localhost" || isLoopback(host);
}

/** Keeps a key in the data folder, in a file that only its owner can read. @returns its path */
export async function keepKey(dataFolder: string, key: string): Promise<string> {
  const path = join(dataFolder, "first-key");
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    await file.write(`${key}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}

export async function dropKey(path: string): Promise<void> {
  await rm(path, { force: true });
}
