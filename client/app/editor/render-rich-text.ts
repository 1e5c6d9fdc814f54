import type { RichText } from "../../../src/core/text/rich-text.ts";
import { nodeOfSegment } from "./segment-node.ts";
import { segmentsOf } from "./segments.ts";

/** A text to be read only, in the elements that the editor shows it in. */
export function renderRichText(text: RichText, page: Document = document): readonly Node[] {
  return segmentsOf(text).map((segment) => nodeOfSegment(page, segment).node);
}
