import type { MemoryLimits } from "./charges/memory-ledger.ts";
import type { Config } from "./config.ts";
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits } from "./documents/document-limits.ts";
import type { HttpLimits } from "./http/http-limits.ts";
import type { SyncLimits } from "./sync/sync-limits.ts";

/** What one payer may have of all that is held for clients. */
const PART_OF_PAYER = 1 / 4;

export function memoryLimitsOf({ bufferBytes }: Config): MemoryLimits {
  return { bytesInAll: bufferBytes, bytesPerPayer: Math.floor(bufferBytes * PART_OF_PAYER) };
}

/** Of the heap: the rest is for requests, for what comes and goes, and for the collector. */
const OUTLINES_OF_HEAP = 1 / 2;
/** Of the memory for outlines: there is room for small ones beside the largest, and for its upkeep. */
const OUTLINE_OF_MEMORY = 5 / 8;
const UPKEEP_OF_MEMORY = 11 / 16;
/** What large outlines leave to small ones, and how small these are. */
const SMALL_OF_MEMORY = 1 / 4;
const SMALL_OUTLINE = 1 / 64;
const SEARCH_TEXTS = 1 / 8;

const DAY_MS = 24 * 60 * 60 * 1000;

/** @param heapBytes as much as Node.js allows the heap to grow */
export function documentLimitsOf(config: Config, heapBytes: number): DocumentLimits {
  const memory = config.memoryBytes || Math.floor(heapBytes * OUTLINES_OF_HEAP);
  const most = Math.floor(memory * OUTLINE_OF_MEMORY);
  return {
    ...DEFAULT_DOCUMENT_LIMITS,
    memoryBytes: memory,
    maxMemoryBytes: memory,
    maxLargeBytes: Math.floor(memory * (1 - SMALL_OF_MEMORY)),
    smallOutlineBytes: Math.floor(memory * SMALL_OUTLINE),
    searchTextBytes: Math.floor(memory * SEARCH_TEXTS),
    outline: {
      maxNodes: config.maxNodes,
      maxBytes: Math.min(config.maxOutlineBytes || most, most),
      maxUpkeepBytes: Math.floor(memory * UPKEEP_OF_MEMORY),
    },
    graceMs: config.trashDays * DAY_MS,
  };
}

/** Those that whoever runs the server can set; the others are as `http` has them. */
export function httpLimitsOf(config: Config): Partial<HttpLimits> {
  return {
    bodyBytes: config.maxBodyBytes,
    textBytes: config.maxTextBytes,
    exportLimitMs: config.exportLimitMs,
    requestsPerMinute: config.requestsPerMinute,
    keyRequestsPerMinute: config.keyRequestsPerMinute,
    requestTimeoutMs: config.requestTimeoutMs,
    connectionsPerAddress: config.maxConnectionsPerAddress,
    connectionsInAll: config.maxHttpConnections,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    secureCookies: config.secureCookies,
    insecureWebhooks: config.webhookInsecure,
  };
}

/** The same of `sync`. */
export function syncLimitsOf(config: Config): Partial<SyncLimits> {
  return {
    messageBytes: config.maxMessageBytes,
    queuedBytes: config.maxQueuedBytes,
    connectionsPerUser: config.maxConnectionsPerUser,
    connectionsPerAddress: config.maxConnectionsPerAddress,
    connectionsInAll: config.maxConnections,
    heartbeatMs: config.heartbeatMs,
    trustedProxies: config.trustedProxies,
  };
}
