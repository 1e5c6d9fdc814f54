import { expect } from "vitest";

let isTold = false;

/**
 * Tells `toEqual` how bytes are compared. By itself it compares them as the properties of any object,
 * which takes a second for some 100 KB.
 */
export function useByteEquality(): void {
  // What a process was told once goes for all files that it runs.
  if (isTold) return;
  isTold = true;
  expect.addEqualityTesters([
    (a: unknown, b: unknown) => {
      if (!(a instanceof Uint8Array && b instanceof Uint8Array)) return undefined;
      return a.constructor === b.constructor ? Buffer.compare(a, b) === 0 : undefined;
    },
  ]);
}
