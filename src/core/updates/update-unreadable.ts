/** Why an update is not read. Stable: it is told to clients. */
export type ReadRefusal = "malformed" | "too_large";

/** Thrown while an update is read; the reason is a value for whoever asked. */
export class UpdateUnreadable extends Error {
  override readonly name = "UpdateUnreadable";
  readonly reason: ReadRefusal;

  constructor(reason: ReadRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function malformed(what: string): UpdateUnreadable {
  return new UpdateUnreadable("malformed", `unexpected ${what}`);
}

export function tooLarge(what: string): UpdateUnreadable {
  return new UpdateUnreadable("too_large", `too many ${what}`);
}
