import { isIP } from "node:net";
import { z } from "zod";
import { isAcceptableKey } from "./accounts/api-key.ts";
import { DEFAULT_WRONG_KEYS_PER_MINUTE } from "./accounts/sign-ins.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "./documents/document-limits.ts";
import { DEFAULT_HTTP_LIMITS } from "./http/http-limits.ts";
import { DEFAULT_SYNC_LIMITS } from "./sync/sync-limits.ts";

const MIB = 1024 * 1024;
/** Longer ones are no timers: Node takes them for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A whole number; zod's own coercion would take "", " 7 " and "1e3". */
function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const most = max === Number.MAX_SAFE_INTEGER ? " or more" : ` to ${max}`;
  const wanted = `a whole number, ${min}${most}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, wanted)
    .transform(Number)
    .refine((value) => value >= min && value <= max, wanted);
}

function text(wanted: string) {
  return z.string().min(1, wanted);
}

const flag = z
  .enum(["true", "false", "1", "0"], "true or false")
  .transform((value) => value === "true" || value === "1");

function isListOfNetworks(list: string): boolean {
  return list.split(",").every((item) => {
    const [address = "", prefix, ...rest] = item.trim().split("/");
    const version = isIP(address);
    const bits = version === 4 ? 32 : 128;
    const isPrefix =
      prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits);
    return list === "" || (version !== 0 && isPrefix && rest.length === 0);
  });
}

/** Whether a text is the address of a PostgreSQL database. */
export function isStoreAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\/[^\s]+$/.test(text);
}

/** Whether a text is the address of a service as browsers write it, or empty. */
function isOrigin(text: string): boolean {
  return (
    text === "" || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text)
  );
}

/** Whether a text is an address that other machines can use, and a port. */
function isClusterAddress(text: string): boolean {
  const { host, port } =
    /^(?<host>[^\s:]+|\[[0-9a-f:.]+\]):(?<port>[0-9]{1,5})$/i.exec(text)?.groups ?? {};
  return Number(port) <= 65_535 && !["0.0.0.0", "[::]"].includes(host ?? "");
}

/**
 * Every option of the service: its default as it would be typed, what it means, and what it may be.
 * `maxBodyBytes` is `OUTLINE_MAX_BODY_BYTES` in the environment and `--max-body-bytes` on the command
 * line, which goes before.
 */
const OptionsSchema = z.object({
  port: wholeNumber(0, 65_535)
    .prefault("6683")
    .describe("TCP port to listen on; 0 takes a free one"),
  host: text("an address or a host name")
    .prefault("127.0.0.1")
    .describe("Address to listen on; 0.0.0.0 for every interface (then with TLS)"),
  tlsCert: text("a file")
    .optional()
    .describe("File with the certificate (PEM) to speak TLS with; read again when it changes"),
  tlsKey: text("a file").optional().describe("File with the key of that certificate (PEM)"),
  data: text("a folder")
    .prefault("./data")
    .describe("Folder that holds everything; made if missing"),
  store: z
    .string()
    .refine(isStoreAddress, "an address that begins with postgres://")
    .optional()
    .describe("Address of a PostgreSQL database, `postgres://…`, that is the store"),
  clusterListen: z
    .string()
    .refine(isClusterAddress, "an address of this machine and a port, such as 10.0.0.1:6684")
    .optional()
    .describe("`host:port` at which other processes on the same database reach this one"),
  clusterName: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "1 to 64 letters, digits, dots, dashes and underscores")
    .prefault("outline")
    .describe("Name of the service that such processes are; a database has those of one"),
  logLevel: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "a level of pino")
    .prefault("info")
    .describe("Least level of what is logged: fatal, error, warn, info, debug, trace or silent"),
  apiKey: z
    .string()
    .refine(isAcceptableKey, "8 to 256 characters that a header may hold")
    .optional()
    .describe("Key for the user `me`, instead of a generated one; also added to an existing `me`"),
  firstKey: z
    .enum(["auto", "print", "file"], "auto, print or file")
    .prefault("auto")
    .describe("First key: `print` it, keep it in a `file`, or auto: see docs/operations.md"),
  metricsKey: z
    .string()
    .regex(/^[!-~]{16,256}$/, "16 to 256 characters that a header may hold")
    .optional()
    .describe("Key for `/metrics`; without it they are for programs on this machine only"),
  exportLimitMs: wholeNumber(0)
    .prefault(String(DEFAULT_HTTP_LIMITS.exportLimitMs))
    .describe(
      "A key, with those made with it, may export once in so many milliseconds; 0: any time",
    ),
  requestsPerMinute: wholeNumber(0)
    .prefault(String(DEFAULT_HTTP_LIMITS.requestsPerMinute))
    .describe("API requests a minute for each user; 0: any number"),
  keyRequestsPerMinute: wholeNumber(0)
    .prefault(String(DEFAULT_HTTP_LIMITS.keyRequestsPerMinute))
    .describe("The same for each key, with those made with it; 0: any number"),
  failedSignInsPerMinute: wholeNumber(0)
    .prefault(String(DEFAULT_WRONG_KEYS_PER_MINUTE))
    .describe("Requests a minute with a wrong key for each address; 0: any number"),
  trustedProxies: z
    .string()
    .refine(isListOfNetworks, "addresses or CIDR ranges, with commas between")
    .prefault("")
    .describe("Addresses or CIDR ranges, with commas between, whose `X-Forwarded-*` is believed"),
  publicUrl: z
    .string()
    .refine(isOrigin, "an address without a path, such as https://outline.example")
    .prefault("")
    .describe(
      "Address at which clients know the server, for OAuth; without it, as they ask for it",
    ),
  secureCookies: flag
    .prefault("false")
    .describe("Mark session cookies `Secure` even where TLS ends before this server"),
  webhookInsecure: flag
    .prefault("false")
    .describe("Deliver webhooks by plain HTTP, and to addresses of your own network, as well"),
  maxBodyBytes: wholeNumber(1024)
    .prefault(String(DEFAULT_HTTP_LIMITS.bodyBytes))
    .describe("Longest body of an API request"),
  maxTextBytes: wholeNumber(1024)
    .prefault(String(DEFAULT_HTTP_LIMITS.textBytes))
    .describe("Longest name and longest note, each, in UTF-8"),
  requestTimeoutMs: wholeNumber(0, LONGEST_TIMER_MS)
    .prefault(String(DEFAULT_HTTP_LIMITS.requestTimeoutMs))
    .describe("How long a client may take to send a whole request; 0: any time"),
  maxMessageBytes: wholeNumber(1024)
    .prefault(String(DEFAULT_SYNC_LIMITS.messageBytes))
    .describe("Longest websocket message of a client; no longer text can be sent"),
  maxQueuedBytes: wholeNumber(1024)
    .prefault(String(DEFAULT_SYNC_LIMITS.queuedBytes))
    .describe("Unsent bytes for one websocket, above which it must catch up first"),
  maxConnectionsPerUser: wholeNumber(1)
    .prefault(String(DEFAULT_SYNC_LIMITS.connectionsPerUser))
    .describe("Websockets that are open at one time for each user"),
  maxConnectionsPerAddress: wholeNumber(1)
    .prefault(String(DEFAULT_SYNC_LIMITS.connectionsPerAddress))
    .describe("Open websockets for each address, and as many connections for requests"),
  maxConnections: wholeNumber(1)
    .prefault(String(DEFAULT_SYNC_LIMITS.connectionsInAll))
    .describe("Websockets that are open at one time in all"),
  maxHttpConnections: wholeNumber(1)
    .prefault(String(DEFAULT_HTTP_LIMITS.connectionsInAll))
    .describe("Connections for requests that are open at one time, of all addresses"),
  heartbeatMs: wholeNumber(1000)
    .prefault(String(DEFAULT_SYNC_LIMITS.heartbeatMs))
    .describe("A websocket is pinged so often, and closed when a ping stays unanswered"),
  memoryBytes: wholeNumber(0)
    .refine((bytes) => bytes === 0 || bytes >= 16 * MIB, `0, or ${16 * MIB} or more`)
    .prefault("0")
    .describe("Memory for open outlines, in use or not; 0: half of the heap of Node.js"),
  maxNodes: wholeNumber(1)
    .prefault(String(DEFAULT_DOCUMENT_LIMITS.outline.maxNodes))
    .describe("Most nodes of one outline, those in the trash as well"),
  maxOutlineBytes: wholeNumber(0)
    .refine((bytes) => bytes === 0 || bytes >= MIB, `0, or ${MIB} or more`)
    .prefault("0")
    .describe("Most memory of one outline; 0: five eighths of that for all, which is the most"),
  bufferBytes: wholeNumber(16 * MIB)
    .prefault(String(256 * MIB))
    .describe("Memory for what is held for clients, such as bodies; one user may have a quarter"),
  trashDays: wholeNumber(0, 36_500)
    .prefault("30")
    .describe("Days after which what was deleted is removed for good; 0: never"),
  maxImportBytes: wholeNumber(1024)
    .prefault(String(128 * MIB))
    .describe("Largest file that the command imports"),
  maxImportNodes: wholeNumber(1).prefault("500000").describe("Most nodes that one import adds"),
  stopTimeoutMs: wholeNumber(0, LONGEST_TIMER_MS)
    .prefault("10000")
    .describe("How long a stop waits for what is under way before it ends without it"),
});

export type Config = z.output<typeof OptionsSchema>;

export type OptionName = keyof Config;

/** An option as help and documentation show it. */
export interface OptionDescription {
  readonly name: OptionName;
  readonly variable: string;
  /** Absent for what must not be seen in a list of processes. */
  readonly flag?: string;
  readonly defaultText: string;
  readonly meaning: string;
}

/** Secrets are read from the environment only. */
const WITHOUT_FLAG: ReadonlySet<string> = new Set([
  "apiKey",
  "metricsKey",
  "store",
] satisfies OptionName[]);

/** Variables of earlier versions, which are still read where the new one is not set. */
const FORMER_VARIABLES: Partial<Record<OptionName, string>> = {
  maxConnectionsPerUser: "OUTLINE_MAX_CONNECTIONS_PER_KEY",
};

export const OPTION_DESCRIPTIONS: readonly OptionDescription[] = Object.entries(
  OptionsSchema.shape,
).map(([name, schema]) => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
  const description = {
    name: name as OptionName,
    variable: `OUTLINE_${words.toUpperCase()}`,
    defaultText: "defaultValue" in schema.def ? schema.def.defaultValue : "",
    meaning: schema.description ?? "",
  };
  if (WITHOUT_FLAG.has(name)) return description;
  return { ...description, flag: words.replaceAll("_", "-").toLowerCase() };
});

export type ConfigResult =
  | { readonly kind: "config"; readonly config: Config }
  /** One sentence for each option that can't be used. */
  | { readonly kind: "bad"; readonly sentences: readonly string[] };

/**
 * Reads the options from flags (by their names on the command line) and the environment, where an
 * empty variable counts as none.
 */
export function readConfig(
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ConfigResult {
  const given: Record<string, string> = {};
  const sources: Record<string, string> = {};
  for (const { name, variable, flag: flagName } of OPTION_DESCRIPTIONS) {
    const flagged = flagName === undefined ? undefined : flags[flagName];
    const former = FORMER_VARIABLES[name] ?? variable;
    const read = (environment[variable] ?? "") === "" ? former : variable;
    const value = typeof flagged === "string" ? flagged : environment[read];
    if (value === undefined || (value === "" && flagged === undefined)) continue;
    given[name] = value;
    sources[name] = typeof flagged === "string" ? `--${flagName}` : read;
  }
  const parsed = OptionsSchema.safeParse(given);
  if (parsed.success) {
    const sentence = lackOf(parsed.data, sources);
    if (sentence !== undefined) return { kind: "bad", sentences: [sentence] };
    return { kind: "config", config: parsed.data };
  }
  const sentences = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    const isSecret = WITHOUT_FLAG.has(name);
    const shown = isSecret ? "" : `, not ${JSON.stringify(given[name])}`;
    return `${sources[name]} must be ${message}${shown}.`;
  });
  return { kind: "bad", sentences };
}

/** What an option that was given needs besides. */
function lackOf(
  { tlsCert, tlsKey, store, clusterListen }: Config,
  sources: Readonly<Record<string, string>>,
): string | undefined {
  if (clusterListen !== undefined && store === undefined) {
    return `${sources["clusterListen"]} needs a PostgreSQL database in OUTLINE_STORE.`;
  }
  if ((tlsCert === undefined) === (tlsKey === undefined)) return undefined;
  return tlsKey === undefined
    ? `${sources["tlsCert"]} needs the key of the certificate in OUTLINE_TLS_KEY.`
    : `${sources["tlsKey"]} needs the certificate of the key in OUTLINE_TLS_CERT.`;
}
