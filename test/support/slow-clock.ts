/** A clock on which time passes with each look at it. */
export function slowClock(msALook: number): () => number {
  let time = 0;
  return () => (time += msALook);
}
