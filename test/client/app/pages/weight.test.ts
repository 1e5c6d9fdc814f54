import { expect, test } from "vitest";
import { bundleSize } from "../../bench/bundle-size.ts";

/** Packed with gzip, in kilobytes of 1,024 bytes. What is added to the page pays for its place here. */
const FIRST_ROWS_KB = 17;
const EDITABLE_KB = 110;
const SCRIPTS = 40;

test("[W300] the rows of the last view, and an outline that can be edited, need few scripts", async () => {
  const { firstKb, openKb, scripts } = await bundleSize();
  expect(firstKb).toBeGreaterThan(5);
  expect(firstKb).toBeLessThan(FIRST_ROWS_KB);
  expect(openKb).toBeGreaterThan(firstKb);
  expect(openKb).toBeLessThan(EDITABLE_KB);
  expect(scripts).toBeLessThan(SCRIPTS);
});
