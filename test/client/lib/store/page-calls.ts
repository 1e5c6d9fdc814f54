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

const BYTES = "$bytes";

export function encode(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each instanceof Uint8Array ? { [BYTES]: toBase64(each) } : each,
  );
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) =>
    typeof each === "object" && each !== null && BYTES in each
      ? Uint8Array.from(atob(String(each[BYTES])), (letter) => letter.charCodeAt(0))
      : each,
  );
}

function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (let from = 0; from < bytes.length; from += 10_000) {
    letters += String.fromCharCode(...bytes.subarray(from, from + 10_000));
  }
  return btoa(letters);
}
