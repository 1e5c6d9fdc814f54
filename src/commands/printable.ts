/** What terminals obey, except tabs and line breaks, and what turns the direction of writing. */
const OBEYED = /[^\P{Cc}\t\n]|\p{Bidi_Control}/gu;

/** A text that others have written, fit to be shown on the terminal of whoever runs the command. */
export function printable(text: string): string {
  return text.replaceAll(OBEYED, "\uFFFD");
}
