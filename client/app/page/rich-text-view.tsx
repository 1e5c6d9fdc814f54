import { useLayoutEffect, useRef } from "preact/hooks";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { nodeOfSegment } from "../editor/segment-node.ts";
import { segmentsOf } from "../editor/segments.ts";

/** A text to be read, in the elements that an editor would show it in. */
export function RichTextView({ text, kind }: { readonly text: RichText; readonly kind: string }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const nodes = segmentsOf(text).map((segment) => nodeOfSegment(document, segment).node);
    element.current?.replaceChildren(...nodes);
  }, [text]);
  // A name lends its direction to its row.
  const dir = kind === "text-name" ? undefined : "auto";
  return <div ref={element} dir={dir} class={`rich-text ${kind}`} />;
}
