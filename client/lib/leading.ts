import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import { Leader, type LeaderHost } from "./leader.ts";
import type { Platform } from "./platform.ts";
import { writeAnew } from "./rewrite/write-anew.ts";

/**
 * What a replica needs to be connected, to be written anew, and to be passed on as a whole. It is read
 * and edited without, so that a page fetches it beside the rest.
 */
export const leading = {
  lead: (host: LeaderHost, platform: Platform): Leader => new Leader(host, platform),
  writeAnew,
  stateChunks,
};

export type Leading = typeof leading;
