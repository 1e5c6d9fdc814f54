import { z } from "zod";
import { EntrySchema } from "./admin-operations.ts";

/** What the command sends: the operation's parameters, then for an import the entries. */
export const RequestMessageSchema = z.union([
  z.strictObject({ params: z.unknown() }),
  z.strictObject({ entry: EntrySchema }),
  /** The input is complete: without it a cut connection would look like a short file. */
  z.strictObject({ end: z.literal(true) }),
]);

export type RequestMessage = z.output<typeof RequestMessageSchema>;

/** What a server answers: items and progress, and at last how it ended. */
export const AnswerMessageSchema = z.union([
  z.strictObject({ item: z.unknown() }),
  z.strictObject({ progress: z.strictObject({ done: z.number(), total: z.number() }) }),
  z.strictObject({
    outcome: z.union([
      z.strictObject({ kind: z.literal("done") }),
      z.strictObject({ kind: z.literal("refused"), reason: z.string() }),
    ]),
  }),
  z.strictObject({ failure: z.string() }),
]);

export type AnswerMessage = z.output<typeof AnswerMessageSchema>;
