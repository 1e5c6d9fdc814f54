import { setTimeout as delay } from "node:timers/promises";
import { readdir } from "node:fs/promises";
import type { Random } from "../../../src/core/node-key.ts";
import { launchServer, type ProgramOptions } from "../../e2e/server-process.ts";
import { until } from "../../support/socket-until.ts";

const LONGEST_LIFE_MS = 500;
/** So long after something happened that is to be interrupted. */
const SOON_MS = 40;
const AT_ONCE_MS = 2;

/** When a server is killed that has just been started. */
export type YoungAge =
  /** Within 500 ms, wherever that is. */
  | "at-any-time"
  /** When it has begun to change the data folder. */
  | "when-it-works"
  /** When it has printed the first key, or that it is ready. */
  | "when-it-speaks";

/** How far a server got. */
export interface YoungDeath {
  readonly out: string;
  readonly stage: "before it did anything" | "at work" | "ready";
}

/** Starts a server and kills it at an early age. */
export async function killYoung(
  options: ProgramOptions,
  age: YoungAge,
  random: Random,
): Promise<YoungDeath> {
  const { data } = options;
  const before = await namesIn(data);
  const hasWorked = async (): Promise<boolean> => (await namesIn(data)) !== before;
  const server = launchServer(options);
  let isOver = false;
  void server.ended.then(() => (isOver = true));
  switch (age) {
    case "at-any-time":
      await delay(random() * LONGEST_LIFE_MS);
      break;
    case "when-it-works":
      await until(async () => isOver || (await hasWorked()), "the first change");
      await delay(random() * SOON_MS);
      break;
    case "when-it-speaks":
      await until(() => isOver || server.out() !== "", "the first word");
      await delay(random() * AT_ONCE_MS);
      break;
  }
  if (isOver) throw new Error(`it ended by itself: ${server.err()}`);
  const { out } = await server.stop("SIGKILL");
  if (out !== "") return { out, stage: "ready" };
  return { out, stage: (await hasWorked()) ? "at work" : "before it did anything" };
}

/** All names below a folder, as one text: a start makes and removes files. */
async function namesIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.toSorted((one, other) => (one < other ? -1 : 1)).join("\n");
}
