import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/** As `toEqual`, which takes many times as long where much is compared; it says what differs. */
export function expectSame(found: unknown, wanted: unknown, message?: string): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found, message).toEqual(wanted);
}
