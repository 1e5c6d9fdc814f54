/** Whether this is `npm run test:long`. */
const IS_LONG = process.env["OUTLINE_TEST_FORM"] === "long";

/** How often a property is tried, or how large something is, in `npm test` and in `npm run test:long`. */
export function runs(short: number, long: number): number {
  return IS_LONG ? long : short;
}
