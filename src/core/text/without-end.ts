/**
 * A text without the characters at its end that are among the given ones. A pattern (`/x+$/`) would
 * begin anew at each of them wherever they stand, which takes quadratic time.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
