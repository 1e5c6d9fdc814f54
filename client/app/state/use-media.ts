import { listen } from "./listen.ts";
import { useRead } from "./use-read.ts";

/** Whether a media query holds; the component renders anew when that changes. */
export function useMedia(query: string): boolean {
  return useRead(
    () => matchMedia(query).matches,
    (look) => listen(matchMedia(query), { change: look }),
    [query],
  );
}
