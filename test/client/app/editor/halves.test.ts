import { expect, test } from "vitest";
import { Halves } from "../../../../client/app/editor/halves.ts";

test("[W271] the halves of a character are written together, and everything else as it comes", () => {
  const halves = new Halves();
  const [first = "", second = ""] = "𝄞".split("");
  expect(["a", "𝄞", null, "ab"].map((data) => halves.take(data))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([first, second].map((data) => halves.take(data))).toEqual(["", "𝄞"]);
  // One that nothing belonged to is left to the browser, and forgotten by the next key.
  expect([second, first, "a", second].map((data) => halves.take(data))).toEqual([
    undefined,
    "",
    undefined,
    undefined,
  ]);
});
