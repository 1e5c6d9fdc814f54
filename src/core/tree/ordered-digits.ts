/** The digits of base 64 in ASCII order, so that comparing strings compares numbers. */
export const ORDERED_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/** Stands for a character that is no digit. */
export const NO_DIGIT = 255;

const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = ORDERED_DIGITS.indexOf(String.fromCharCode(code));
  return value < 0 ? NO_DIGIT : value;
});

/** The value of the digit at a place of a text; `NO_DIGIT` when there is none. */
export function orderedDigitAt(text: string, index: number): number {
  return VALUES[text.charCodeAt(index)] ?? NO_DIGIT;
}

/** Writes an integer from 0 to 2^24 - 1 as four digits. */
export function encode24Bits(bits: number): string {
  return (
    ORDERED_DIGITS.charAt(bits >> 18) +
    ORDERED_DIGITS.charAt((bits >> 12) & 63) +
    ORDERED_DIGITS.charAt((bits >> 6) & 63) +
    ORDERED_DIGITS.charAt(bits & 63)
  );
}

/** What `length` digits, four at most, say from `start` on; negative when one of them is no digit. */
export function decodeBits(text: string, start: number, length = 4): number {
  let bits = 0;
  for (let index = start; index < start + length; index++) {
    const value = orderedDigitAt(text, index);
    if (value === NO_DIGIT) return -1;
    bits = (bits << 6) | value;
  }
  return bits;
}
