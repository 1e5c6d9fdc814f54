import { expect, test } from "vitest";

test("bytes are equal by what they are, wherever they stand", () => {
  const bytes = () => Uint8Array.of(1, 2, 3);
  expect({ list: [bytes()] }).toEqual({ list: [bytes()] });
  expect({ list: [bytes()] }).not.toEqual({ list: [Uint8Array.of(1, 2, 4)] });
  expect(bytes()).not.toEqual(Uint8Array.of(1, 2));
  expect(Buffer.from(bytes())).not.toStrictEqual(bytes());
  // Offsets into a buffer that both share make no difference.
  const shared = Uint8Array.of(0, 1, 2, 3, 0);
  expect(shared.subarray(1, 4)).toStrictEqual(bytes());
});
