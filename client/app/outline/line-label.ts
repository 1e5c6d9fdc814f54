/** Of the elements that say what the texts of a row are called. */
export const LABEL_IDS = { name: "label-of-lines", note: "label-of-notes" } as const;
