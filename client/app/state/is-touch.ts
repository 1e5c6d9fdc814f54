/** Whether a finger is what this device is mainly used with: what is told is told for that. */
export function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}
