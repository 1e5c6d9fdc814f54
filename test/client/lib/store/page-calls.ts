/** What a test asks of a store in a page, and how bytes get there and back. */
export interface PageCall {
  /** Of the store, or of the reader; given by the page. */
  readonly handle: number;
  /** A method of the store; `open` with the name of the database; `next` of a reader. */
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface PageReply {
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  /** That the store has failed for good, said before this reply. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** How many updates `next` of a reader answers at a time: far fewer than a test has that is about reading. */
export const UPDATES_A_REPLY = 20;

const BYTES = "$bytes";

export function encode(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each instanceof Uint8Array ? { [BYTES]: toBase64(each) } : each,
  );
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) =>
    typeof each === "object" && each !== null && BYTES in each
      ? fromBase64(String(each[BYTES]))
      : each,
  );
}

/** A loop: what goes letter by letter through an iterator takes seconds for megabytes. */
function fromBase64(base64: string): Uint8Array {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (let from = 0; from < bytes.length; from += 10_000) {
    letters += String.fromCharCode(...bytes.subarray(from, from + 10_000));
  }
  return btoa(letters);
}
