/** Which client ids others write under, and the author does. */
export interface ClientWriters {
  readonly isAnothers: (client: number) => boolean;
  /**
   * The author is refused, because a client id is another's, and writes anew all that is not saved. When
   * the other is the same device before its program was killed, what still comes from there would be
   * there twice: so it may write no more, and writes anew too if it lives.
   */
  readonly overtake: (client: number) => void;
  /** Whether another did that to the author. */
  readonly isOvertaken: () => boolean;
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
