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
  /** Whether nobody else is connected who alone writes under the client id. Absent: always. */
  readonly mayWriteUnder?: (client: number) => boolean;
  /** Whether it makes edits anew that are refused as `conflict`; stock clients can't. */
  readonly writesAnew?: boolean;
}
