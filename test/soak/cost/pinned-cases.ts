import type { Case } from "./gene.ts";

/** What was too dear once: each search begins with them. */
export const PINNED_CASES: readonly Case[] = [];
