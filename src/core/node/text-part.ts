/** The two texts of a node. */
export type TextPart = "name" | "note";
