/** Who sends updates from outside. */
export interface Author {
  /** Handle of the API key. */
  readonly keyId: string;
  /** One connection; compared by identity. */
  readonly session: object;
  /** Whether it makes edits anew that are refused as `conflict`; stock clients can't. */
  readonly writesAnew?: boolean;
}
