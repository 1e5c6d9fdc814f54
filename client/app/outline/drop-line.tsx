import { useSource } from "../state/use-source.ts";
import type { Pointer } from "./pointer.ts";

/** The line between two rows where dragged ones would land. */
export function DropLine({ pointer }: { readonly pointer: Pointer }) {
  const mark = useSource(pointer.mark);
  if (mark === undefined) return null;
  return (
    <div
      class="drop-line"
      aria-hidden="true"
      style={{ transform: `translateY(${mark.top}px)`, left: `${mark.left}px` }}
    />
  );
}
