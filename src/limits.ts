import type { Config } from "./config.ts";
import type { HttpLimits } from "./http/http-limits.ts";
import type { SyncLimits } from "./sync/sync-limits.ts";

export function httpLimitsOf(config: Config): HttpLimits {
  return {
    bodyBytes: config.maxBodyBytes,
    textBytes: config.maxTextBytes,
    exportLimitMs: config.exportLimitMs,
    requestsPerMinute: config.requestsPerMinute,
    failedSignInsPerMinute: config.failedSignInsPerMinute,
    requestTimeoutMs: config.requestTimeoutMs,
    trustedProxies: config.trustedProxies,
    secureCookies: config.secureCookies,
  };
}

/** Those that whoever runs the server can set; the others are as `sync` has them. */
export function syncLimitsOf(config: Config): Partial<SyncLimits> {
  return {
    messageBytes: config.maxMessageBytes,
    queuedBytes: config.maxQueuedBytes,
    connectionsPerKey: config.maxConnectionsPerKey,
    connectionsPerAddress: config.maxConnectionsPerAddress,
    failedSignInsPerMinute: config.failedSignInsPerMinute,
    heartbeatMs: config.heartbeatMs,
    trustedProxies: config.trustedProxies,
  };
}
