import { z } from "zod";
import type { NodeShape } from "../../core/node/node-reader.ts";
import type { Outline } from "../../core/outline.ts";
import { lineOf } from "./node-lines.ts";

const MOST_TEXT = 300;

/** Where a tool looks. */
export const ROOT_FIELD = z
  .string()
  .nullish()
  .meta({ description: "Only this node and what is below it: an id, `inbox`, a date …" });

/** How many nodes a tool tells of. */
export function limitField(standard: number, most: number) {
  return z
    .int()
    .min(1)
    .nullish()
    .meta({ description: `Nodes; ${standard} when left out, and never more than ${most}.` });
}

/** What a node says, in short. */
export const SAID_FIELDS = {
  text: z.string().meta({ description: `Its name; ${MOST_TEXT} characters of it.` }),
  note: z.string().optional(),
  completed: z.boolean(),
};

/** The same of a visible node. */
export function saidOf(outline: Outline, { key, hasNote, completedAt }: NodeShape) {
  return {
    text: lineOf(outline.richText(key, "name"), MOST_TEXT),
    ...(hasNote && { note: lineOf(outline.richText(key, "note"), MOST_TEXT) }),
    completed: completedAt !== null,
  };
}
