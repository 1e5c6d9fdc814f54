/** What whoever runs the server may want to count. */
export interface SyncEvents {
  onOpened?(dialect: "stock" | "extended"): void;
  onClosed?(dialect: "stock" | "extended", code: number): void;
  /** An upgrade request was answered without a websocket. */
  onRejected?(code: string): void;
  /** An update was not applied. */
  onRefused?(code: string): void;
  /** A connection read too slowly and missed broadcasts, which it gets later. */
  onFellBehind?(): void;
}
