import { useSource } from "../../state/use-source.ts";
import type { Pointer } from "./pointer.ts";

/** The line between two rows where dragged ones would land. */
export function DropLine({ pointer }: { readonly pointer: Pointer }) {
  const mark = useSource(pointer.mark);
  if (mark === undefined) return null;
  return (
    <div
      class="drop-line"
      aria-hidden="true"
      dir={mark.isRightToLeft ? "rtl" : "ltr"}
      style={{ transform: `translateY(${mark.top}px)`, insetInlineStart: `${mark.start}px` }}
    />
  );
}
