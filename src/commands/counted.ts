/** A number of things, for people: `1 outline`, `12,000 outlines`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
}
