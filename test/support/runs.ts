/** Whether this is `npm run test:faults`, which takes long where `npm test` does not. */
const IS_LONG = process.env["OUTLINE_TEST_FORM"] === "long";

/** How often a property is tried, or how large something is, in `npm test` and in the long form. */
export function runs(short: number, long: number): number {
  return IS_LONG ? long : short;
}
