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
