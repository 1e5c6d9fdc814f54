import { randomLetters, type RandomBytes } from "./api-key.ts";

/** How long a browser stays signed in, in seconds: 180 days from the sign-in, used or not. */
export const SESSION_SECONDS = 180 * 24 * 60 * 60;

/** A fresh token of a browser's session: `os_` and 32 letters, 190 random bits. */
export function newSessionToken(randomBytes: RandomBytes): string {
  return `os_${randomLetters(32, randomBytes)}`;
}
