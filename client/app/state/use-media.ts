import { useEffect, useState } from "preact/hooks";
import { listen } from "./listen.ts";

/** Whether a media query holds; the component renders anew when that changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const follow = (): void => setMatches(media.matches);
    follow();
    return listen(media, { change: follow });
  }, [query]);
  return matches;
}
