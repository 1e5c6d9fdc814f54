import { useLayoutEffect, useRef } from "preact/hooks";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { renderRichText } from "../editor/render-rich-text.ts";

/** A text to be read, in the elements that an editor would show it in. */
export function RichTextView({ text, kind }: { readonly text: RichText; readonly kind: string }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(...renderRichText(text)), [text]);
  // A name lends its direction to its row.
  const dir = kind === "text-name" ? undefined : "auto";
  return <div ref={element} dir={dir} class={`rich-text ${kind}`} />;
}
