/** Which client ids others write under, and the author does. */
export interface ClientWriters {
  readonly isAnothers: (client: number) => boolean;
  /** Whether the author sends what it has written itself, and not what the server has lost of anybody. */
  readonly isOwn: boolean;
  /** Something that the author has written under a client id is about to be applied. */
  readonly take: (client: number) => void;
}

/** Who sends updates from outside. */
export interface Author {
  /** Handle of the API key. */
  readonly keyId: string;
  /** One connection; compared by identity. */
  readonly session: object;
  /**
   * Whether the key may write, and is in force. Asked in the turn in which something is written:
   * what waited until then may have been sent long before. Absent: always.
   */
  readonly mayWrite?: () => boolean;
  /** Absent where nothing says who is connected. */
  readonly writers?: ClientWriters;
  /** Whether it makes edits anew that are refused as `conflict`; stock clients can't. */
  readonly writesAnew?: boolean;
}
