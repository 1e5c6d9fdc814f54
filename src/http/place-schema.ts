import { z } from "zod";
import { NODE_REFERENCE, POSITION } from "./api-schemas.ts";

/** Beside one of the children of a node. */
const BESIDE = z
  .union([z.strictObject({ after: NODE_REFERENCE }), z.strictObject({ before: NODE_REFERENCE })])
  .meta({
    description:
      "Behind a sibling, or before it. The parent may be left out then, and is that of the sibling otherwise.",
    examples: [{ after: "8b1e42d07a9f" }],
  });

/** First, last, or beside a sibling. */
export const PLACE = z.union([POSITION, BESIDE], {
  error: 'expected "top", "bottom", {"after": a sibling} or {"before": a sibling}',
});

export type PlaceWord = z.infer<typeof PLACE>;
