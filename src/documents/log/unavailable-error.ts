import type { OutlineId } from "../../core/node-key.ts";
import { StoreError } from "./outline-log.ts";

/**
 * The store can't be read or written now. Nothing of what was asked for is acknowledged; whether it
 * has happened is unknown, and asking again does no harm.
 */
export class UnavailableError extends Error {
  override readonly name: string = "UnavailableError";
  readonly code = "unavailable";
  /** When it is worth trying again. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? 1_000;
  }

  /** What happened, and why as far as that is known, for whoever runs the server. */
  get sentence(): string {
    const { message, cause } = this;
    // A sentence already, which says more.
    if (cause instanceof StoreError) return cause.message;
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${why}.`;
  }
}

/**
 * The replica was thrown away, because of a defect, before it did what was asked for: nothing of that
 * has happened, and the next replica may be asked at once.
 */
export class ThrownAwayError extends UnavailableError {
  override readonly name = "ThrownAwayError";

  constructor() {
    super("the outline was thrown away: open it again", { retryAfterMs: 0 });
  }
}

/**
 * Somebody else has claimed the outline since it was loaded, in a store that several processes can
 * write to: nothing of what was asked for has happened, and what is known of the outline is old.
 */
export class NotOwnerError extends UnavailableError {
  override readonly name = "NotOwnerError";

  constructor(cause: unknown) {
    super("the outline was taken over: open it again", { cause });
  }
}

/** What was done last for the same outline took so long that it is not done again now. */
export class BusyError extends UnavailableError {
  override readonly name = "BusyError";

  constructor(retryAfterMs: number) {
    super("the last work of this kind took too long: ask again later", { retryAfterMs });
  }
}

/** Everybody who waited for it has gone meanwhile, so it was not done. */
export class NotWantedError extends UnavailableError {
  override readonly name = "NotWantedError";

  constructor() {
    super("nobody waits for it any more", { retryAfterMs: 0 });
  }
}

/**
 * Opening the outline would take more memory than this process may ever use for it. Nothing is lost: it
 * opens where there is more, and the command can export it.
 */
export class OutlineTooLargeError extends Error {
  override readonly name = "OutlineTooLargeError";
  readonly code = "outline_too_large";
  readonly outline: OutlineId;
  /** What it takes at least, of memory. */
  readonly bytes: number;

  constructor(outline: OutlineId, bytes: number, most: number) {
    const [takes, may] = [bytes, most].map((each) => Math.ceil(each / 2 ** 20));
    super(`outline ${outline} takes at least ${takes} MiB of memory, and may take ${may}`);
    this.outline = outline;
    this.bytes = bytes;
  }
}

/**
 * The outline follows a newer schema, which a newer server wrote: this one could only damage it. Nothing
 * is lost; it opens with the newer server.
 */
export class NewerOutlineError extends Error {
  override readonly name = "NewerOutlineError";
  readonly code = "outline_newer";

  constructor(outline: OutlineId, schema: number) {
    super(`outline ${outline} follows schema ${schema}, which this server does not know`);
  }
}
