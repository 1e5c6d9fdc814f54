/** What the HTTP side allows. */
export interface HttpLimits {
  /** Longest body of a request. */
  readonly bodyBytes: number;
  /** Longest `name` and longest `note`, each, in UTF-8. */
  readonly textBytes: number;
  /** A user may export once in this time; 0 means as often as they like. */
  readonly exportLimitMs: number;
  /** Requests a minute for each user; 0 means any number. */
  readonly requestsPerMinute: number;
  /** Requests a minute with a key, and with those that were made with it; 0 means any number. */
  readonly keyRequestsPerMinute: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs: number;
  /** How long a client may leave an answer unread, or a request half sent, without doing anything. */
  readonly stalledMs: number;
  /** How long a client may take to agree on TLS, where the server speaks it. */
  readonly handshakeMs: number;
  /** Connections for requests that are open at one time for each network. */
  readonly connectionsPerAddress: number;
  /** The same of all networks together. */
  readonly connectionsInAll: number;
  /**
   * Proxies whose `X-Forwarded-*` headers are believed: addresses or CIDR ranges, separated by
   * commas; empty means none.
   */
  readonly trustedProxies: string;
  /** The address at which clients know the service, without a path; empty: as they asked for it. */
  readonly publicUrl: string;
  /** Marks session cookies `Secure` even when the request itself did not come by TLS. */
  readonly secureCookies: boolean;
  /** Whether webhooks may lead to plain HTTP and to addresses that are not public. */
  readonly insecureWebhooks: boolean;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 10 * 1024 * 1024,
  textBytes: 1024 * 1024,
  exportLimitMs: 60_000,
  requestsPerMinute: 0,
  keyRequestsPerMinute: 0,
  requestTimeoutMs: 120_000,
  stalledMs: 60_000,
  handshakeMs: 10_000,
  connectionsPerAddress: 1000,
  connectionsInAll: 5000,
  trustedProxies: "",
  publicUrl: "",
  secureCookies: false,
  insecureWebhooks: false,
};
