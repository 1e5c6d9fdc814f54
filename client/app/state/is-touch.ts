/** Asks whether a finger is what the device is mainly used with. */
export const TOUCH = "(pointer: coarse)";

/** Whether a finger is what this device is mainly used with: what is told is told for that. */
export function isTouch(): boolean {
  return matchMedia(TOUCH).matches;
}
