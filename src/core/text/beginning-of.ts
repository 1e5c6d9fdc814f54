/** The first UTF-16 units of a text, at most so many, without half of a character at their end. */
export function beginningOf(text: string, most: number): string {
  const beginning = text.slice(0, most);
  return most < text.length ? beginning.replace(/[\ud800-\udbff]$/, "") : beginning;
}
