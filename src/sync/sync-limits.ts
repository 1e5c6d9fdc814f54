/** What the sync side allows. */
export interface SyncLimits {
  /** Longest message of a client. Twice as long is the most that is read at all. */
  readonly messageBytes: number;
  /** How long a message may take to come, and more for each byte of a large one. */
  readonly messageMs: number;
  /** Unsent bytes of one connection, above which it gets no more until it has caught up. */
  readonly queuedBytes: number;
  /** How long a connection may leave its queue unread before it is closed. */
  readonly stalledMs: number;
  /** Updates of one connection that are not durable yet; above, its socket is not read. */
  readonly unacknowledgedUpdates: number;
  /** The same in bytes. */
  readonly unacknowledgedBytes: number;
  /** Refused updates after which an extended client is closed; a stock one is at the first. */
  readonly refusals: number;
  /** Updates in a row that lack a predecessor, after which the client is closed. */
  readonly missing: number;
  /** State vectors and questions for presences, a second; four times as many at once. */
  readonly requestsPerSecond: number;
  /** Changes of a connection's presence that are passed on a second; later ones wait. */
  readonly presencesPerSecond: number;
  /** Bytes of presences that are sent to all connections of an outline a second; later ones wait. */
  readonly presenceBytesPerSecond: number;
  /** A presence's state in JSON, UTF-8. */
  readonly presenceBytes: number;
  readonly connectionsPerUser: number;
  /** Those that are being looked up count as well. */
  readonly connectionsPerAddress: number;
  readonly connectionsInAll: number;
  /** From the upgrade request to its answer, and from there to the first message. */
  readonly handshakeMs: number;
  /**
   * A ping this often; a connection that leaves one unanswered until the next is dead. Stock clients
   * give a silent connection up after 30 seconds.
   */
  readonly heartbeatMs: number;
  /** A document that sockets have not used for so long may be unloaded while they stay. */
  readonly idleDocumentMs: number;
  /**
   * Proxies whose `X-Forwarded-For` is believed: addresses or CIDR ranges, separated by commas;
   * empty means none.
   */
  readonly trustedProxies: string;
}

export const DEFAULT_SYNC_LIMITS: SyncLimits = {
  messageBytes: 4 * 1024 * 1024,
  messageMs: 30_000,
  queuedBytes: 4 * 1024 * 1024,
  stalledMs: 30_000,
  unacknowledgedUpdates: 256,
  unacknowledgedBytes: 8 * 1024 * 1024,
  refusals: 20,
  missing: 1000,
  requestsPerSecond: 5,
  presencesPerSecond: 20,
  presenceBytesPerSecond: 4 * 1024 * 1024,
  presenceBytes: 4096,
  connectionsPerUser: 100,
  connectionsPerAddress: 1000,
  connectionsInAll: 10_000,
  handshakeMs: 10_000,
  heartbeatMs: 15_000,
  idleDocumentMs: 30_000,
  trustedProxies: "",
};
