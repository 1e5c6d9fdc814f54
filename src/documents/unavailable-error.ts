/**
 * The store can't be read or written now. Nothing of what was asked for is acknowledged; whether it
 * has happened is unknown, and asking again does no harm.
 */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
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
