import { createHash } from "node:crypto";

/** Uniform random bytes of a cryptographic source; injected, so that tests are repeatable. */
export type RandomBytes = (length: number) => Uint8Array;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The greatest multiple of 62 in a byte: bytes from here on would favour the first letters. */
const UNBIASED = 256 - (256 % ALPHABET.length);

/**
 * What a websocket subprotocol may consist of (RFC 9110 `token`), so that a key can be offered as
 * one; the same characters pass unquoted through headers, shells and URLs' user part.
 */
const ACCEPTABLE_KEY = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{8,256}$/;

/** `length` letters of base 62, each with 5.95 random bits. */
export function randomLetters(length: number, randomBytes: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/** A fresh API key: `ok_` and 32 letters, 190 random bits. */
export function newApiKey(randomBytes: RandomBytes): string {
  return `ok_${randomLetters(32, randomBytes)}`;
}

/** Whether a key that someone chose can be used: 8 to 256 characters of a `token`. */
export function isAcceptableKey(key: string): boolean {
  return ACCEPTABLE_KEY.test(key);
}

/**
 * The hex SHA-256 of a key, which is all that is stored. A plain hash is enough for keys of 160
 * random bits: there is no dictionary to slow an attacker down in.
 */
export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
