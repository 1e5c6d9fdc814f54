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

/** Files that the server itself has open: of the store, of a backup, to webhooks, of the command. */
const OWN_FILES = 128;
/** Of all files: as many as LevelDB may keep open of a large store. */
const FILES_OF_STORE = 1 / 5;
/** A connection that is passed on to another process is one more here, and two there. */
const FILES_OF_PASSED = 3;
/** Of the connections for requests: what one network leaves to others. */
const PART_OF_ADDRESS = 1 / 2;
const LEAST_CONNECTIONS = 8;

type ConnectionLimits = Pick<
  Config,
  "maxHttpConnections" | "maxConnections" | "maxConnectionsPerAddress"
>;

/**
 * How many connections there may be: as many as is set, or what fits beside the files that the store
 * needs. Where clients have all that the system gives, nothing can be stored.
 * @param openFiles that the system lets the process have; undefined when it may have any number
 */
export function connectionLimitsOf(
  config: Config,
  openFiles: number | undefined,
): ConnectionLimits {
  const { maxHttpConnections, maxConnections, maxConnectionsPerAddress, clusterListen } = config;
  const set = { maxHttpConnections, maxConnections, maxConnectionsPerAddress };
  if (openFiles === undefined) return set;
  const left = openFiles * (1 - FILES_OF_STORE) - OWN_FILES;
  const room = clusterListen === undefined ? left : left / FILES_OF_PASSED;
  const part = room / (maxHttpConnections + maxConnections);
  if (part >= 1) return set;
  const partOf = (most: number): number => Math.max(LEAST_CONNECTIONS, Math.floor(most * part));
  const ofRequests = partOf(maxHttpConnections);
  return {
    maxHttpConnections: ofRequests,
    maxConnections: partOf(maxConnections),
    maxConnectionsPerAddress: Math.min(
      maxConnectionsPerAddress,
      Math.ceil(ofRequests * PART_OF_ADDRESS),
    ),
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
