import type { Outline } from "../../../src/core/outline.ts";
import type { Replica } from "../../lib/replica.ts";

/**
 * Follows the outline that a replica has, also when another one takes its place. Answers how to stop.
 * @param follow begins to follow one outline; answers how to stop
 * @param onReplaced called when the next one is followed
 */
export function followOutline(
  replica: Pick<Replica, "outline" | "onReplaced">,
  follow: (outline: Outline) => () => void,
  onReplaced: () => void = () => undefined,
): () => void {
  let stop = follow(replica.outline);
  const stopReplaced = replica.onReplaced(() => {
    stop();
    stop = follow(replica.outline);
    onReplaced();
  });
  return () => {
    stopReplaced();
    stop();
  };
}
