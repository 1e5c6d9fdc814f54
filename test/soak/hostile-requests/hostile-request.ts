import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import type { Api, ApiOperation } from "./api-operations.ts";
import { fits } from "./json-schema.ts";
import { fittingJson, MARK, oddJson, oddText } from "./odd-values.ts";

/** So many references at the beginning are none of nodes that were made. */
const ALWAYS_KNOWN = 3;

/** Who asks, as far as the key says. */
export type Standing = "whole" | "reader" | "limited" | "stranger";

export interface HostileRequest {
  readonly method: string;
  /** The operation that it is for; undefined when there is none such. */
  readonly operation: ApiOperation | undefined;
  readonly standing: Standing;
  /** The bytes, as they are sent. */
  readonly parts: readonly (Uint8Array | string)[];
  /** The body can't be taken for what the operation asks for. */
  readonly isBodyWrong: boolean;
  /** It may be no HTTP at all: the connection ends with the answer. */
  readonly isBroken: boolean;
}

/** What requests are made of. */
export interface Keyring {
  readonly whole: string;
  readonly reader: string;
  readonly limited: string;
}

const ODD_SEGMENTS = [
  "%2f",
  "%00",
  "%c0%af",
  "%ff",
  "%ed%a0%80",
  "%",
  "%zz",
  "..%2f..%2f",
  "%252f",
  ".",
  "..",
  "__proto__",
  "constructor",
  "%F0%9F%93%86",
  "%20",
  ";",
  "a".repeat(3_000),
  "%E2%80%AE",
  "?",
  "#",
];
/** Behind a field, what routes that answer in parts may be asked. */
const ODD_FIELDS = [
  "&limit=0",
  "&limit=1&cursor=x",
  "&limit=1e9&q=%22",
  "&limit=99999999999999999999&depth=all",
  "&depth=-1",
  "&depth=100&format=flat",
  "&format=opml",
  "&format=markdown&limit=3",
  "&format=x",
  "&sort=modified&include=path,spans,count",
  "&include=path,path,,",
  "&q=changed:1d+-%E2%80%8D+OR+%00",
  "&q=a+%3E+%3E+due:9999y+%3E+backlinks:%23/",
  "&cursor=WzEsImEiXQ",
];

const ODD_QUERIES = [
  "parent_id=",
  "parent_id",
  "=",
  "&&&",
  "parent_id=a&parent_id=b",
  "parent_id[]=a",
  "parent_id[__proto__]=a",
  "__proto__=a",
  "parent_id=%ff",
  "parent_id=%",
  "parent_id=None",
  "parent_id=%00",
  `x=${"y".repeat(2_000)}`,
  "parent_id=inbox",
  "constructor[prototype][a]=b",
];
const METHODS = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];
const CONTENT_TYPES = [
  "application/json",
  "text/plain",
  "application/xml",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  ";;;",
  "é",
];
const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ["expect", "100-continue"],
  ["expect", "200-ok"],
  ["range", "bytes=0-10"],
  ["range", "bytes=9-1"],
  ["if-none-match", "*"],
  ["if-match", '"x"'],
  ["if-modified-since", "not a date"],
  ["accept", "text/html"],
  ["accept-encoding", "br;q=0, *;q=9"],
  ["x-forwarded-for", "1.2.3.4"],
  ["x-forwarded-host", "evil.test"],
  ["x-forwarded-proto", "https"],
  ["x-http-method-override", "DELETE"],
  ["forwarded", "for=1.2.3.4"],
  ["upgrade", "h2c"],
  ["connection", "keep-alive, upgrade"],
  ["content-encoding", "gzip"],
  ["te", "trailers"],
  ["trailer", "x"],
  ["cookie", "outline_session="],
  ["cookie", `a=${MARK}; outline_session=${MARK}`],
  ["origin", "https://evil.test"],
  ["sec-fetch-site", "cross-site"],
  ["referer", `https://x/${MARK}`],
  ["x-long", "x".repeat(2_000)],
  ["user-agent", MARK],
  ["accept-language", "\u00e9"],
  ["__proto__", "x"],
  ["constructor", "x"],
];
/** What is no right HTTP, or tries to be two requests at once. `H` stands for the headers. */
const BROKEN = [
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /",
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ntransfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ncontent-length: -5\r\n\r\n",
  "POST /api/v1/nodes HTTP/1.1\r\nH\r\ncontent-length : 5\r\n\r\nabcde",
  "GET /api/v1/nodes HTTP/1.1\nH\n\n\n",
  "GET /api/v1/nodes HTTP/9.9\r\nH\r\n\r\n",
  "GET  /api/v1/nodes  HTTP/1.1\r\nH\r\n\r\n",
  "GET /api/v1/\x00nodes HTTP/1.1\r\nH\r\n\r\n",
  "get /api/v1/nodes HTTP/1.1\r\nH\r\n\r\n",
  "GET /api/v1/nodes HTTP/1.1\r\nH\r\nx: a\r\n b\r\n\x01: c\r\n\r\n",
  `GET /api/v1/nodes HTTP/1.1\r\nH\r\nx: ${"x".repeat(20_000)}\r\n\r\n`,
  `GET /${"a".repeat(20_000)} HTTP/1.1\r\nH\r\n\r\n`,
  `GET /api/v1/nodes HTTP/1.1\r\nH\r\n${"x: y\r\n".repeat(3_000)}\r\n`,
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\r\n\r\n\r\nNONSENSE\r\n\r\n",
];

/** Requests to every operation of an API, one after the other, in all ways to be wrong. */
export class HostileRequests {
  readonly #random: Random;
  readonly #api: Api;
  readonly #keys: Keyring;
  readonly #references: string[] = ["inbox", "groceries", "None"];

  constructor(random: Random, api: Api, keys: Keyring) {
    this.#random = random;
    this.#api = api;
    this.#keys = keys;
  }

  /** A node that was made, to be meant by later requests. */
  learn(reference: string): void {
    this.#references.push(reference);
    if (this.#references.length > 50) this.#references.splice(ALWAYS_KNOWN, 1);
  }

  next(): HostileRequest {
    const random = this.#random;
    if (random() < 0.03) return this.#broken();
    const operation = oneOf(random, this.#api.operations);
    const isOther = random() < 0.06;
    const method = isOther ? oneOf(random, METHODS) : operation.method;
    const path = this.#path(operation);
    const meant =
      isOther || path.isOdd
        ? undefined
        : this.#api.operations.find(
            (each) => each.path === operation.path && each.method === method,
          );
    const body = operation.body === undefined && random() < 0.9 ? "" : this.#body(operation);
    const { standing, lines } = this.#key();
    return {
      method,
      operation: meant,
      standing,
      parts: [`${method} ${path.text} HTTP/1.1\r\n`, ...this.#headed(lines, body)],
      isBodyWrong: meant !== undefined && isWrong(body, meant, this.#api),
      isBroken: false,
    };
  }

  #broken(): HostileRequest {
    const random = this.#random;
    const { lines } = this.#key();
    const text = oneOf(random, BROKEN).replace("H", ["host: x", ...lines].join("\r\n"));
    return {
      method: "GET",
      operation: undefined,
      standing: "stranger",
      parts: [Buffer.from(text, "latin1")],
      isBodyWrong: false,
      isBroken: true,
    };
  }

  #path(operation: ApiOperation): { readonly text: string; readonly isOdd: boolean } {
    const random = this.#random;
    let isOdd = random() < 0.04;
    const segment = (): string => {
      const roll = random();
      if (roll < 0.6) return encodeURIComponent(this.#reference());
      if (roll < 0.8)
        return encodeURIComponent(Buffer.from(oddText(random).slice(0, 500)).toString());
      isOdd = true;
      return `${oneOf(random, ODD_SEGMENTS)}${random() < 0.3 ? MARK : ""}`;
    };
    const filled = operation.path.replace(/\{\w+\}/, segment);
    const spoiled = isOdd && random() < 0.3 ? `${filled}/${oneOf(random, ODD_SEGMENTS)}` : filled;
    const slash = random() < 0.05 ? "/" : "";
    const { reference = "parent_id", needed } = operation;
    const isAsked = operation.reference === undefined ? random() < 0.1 : random() < 0.7;
    const query = isAsked ? `?${this.#query(reference, needed)}` : "";
    return { text: `${spoiled}${slash}${query}`, isOdd };
  }

  #query(field: string, needed: string): string {
    const random = this.#random;
    if (random() < 0.3) return `${field}=${encodeURIComponent(this.#reference())}${needed}`;
    if (random() < 0.3) return `${field}=${oneOf(random, ODD_FIELDS)}${needed}`;
    return random() < 0.7 ? oneOf(random, ODD_QUERIES) : `${field}=${MARK}${needed}`;
  }

  #reference(): string {
    const { length } = this.#references;
    // Those that always mean something, as often as all others.
    const below = this.#random() < 0.5 ? ALWAYS_KNOWN : length;
    return this.#references[integerBelow(this.#random, below)] ?? "None";
  }

  /** JSON that fits, JSON with something wrong in it, and what is no JSON. */
  #body({ body }: ApiOperation): string {
    const random = this.#random;
    const { schemas } = this.#api;
    const fitting = fittingJson(random, body ?? { type: "object" }, schemas, () =>
      this.#reference(),
    );
    const roll = random();
    if (roll < 0.35) return fitting;
    const members = fitting.slice(1, -1);
    const field = JSON.stringify(this.#fieldOf(body));
    const extra = `${field}:${oddJson(random)}`;
    // Of a name that stands twice the last one counts.
    if (roll < 0.7) return `{${members === "" ? "" : `${members},`}${extra}}`;
    if (roll < 0.75) return `{${extra}${members === "" ? "" : `,${members}`}}`;
    if (roll < 0.8) return `{"__proto__":${fitting},"constructor":{"prototype":${fitting}}}`;
    if (roll < 0.9) return oddJson(random);
    if (roll < 0.93) return fitting.slice(0, integerBelow(random, fitting.length));
    if (roll < 0.945) return `{"name":"${MARK.repeat(31_000)}"}`;
    if (roll < 0.95) return `{"x":${"[".repeat(100_000)}`;
    return oneOf(random, [
      "",
      " ",
      "\uFEFF{}",
      "{'a':1}",
      "{} {}",
      "null",
      '"x"',
      "[]",
      "a=b",
      "\0",
    ]);
  }

  #fieldOf(body: ApiOperation["body"]): string {
    const random = this.#random;
    const names = new Set<string>();
    for (const schema of Object.values({ body, ...this.#api.schemas })) {
      for (const name of Object.keys(schema?.["properties"] ?? {})) names.add(name);
    }
    return random() < 0.9 ? oneOf(random, [...names]) : oddText(random);
  }

  #key(): { readonly standing: Standing; readonly lines: readonly string[] } {
    const random = this.#random;
    const { whole, reader, limited } = this.#keys;
    const roll = random();
    if (roll < 0.8) return { standing: "whole", lines: [`authorization: Bearer ${whole}`] };
    if (roll < 0.84) return { standing: "reader", lines: [`authorization: Bearer ${reader}`] };
    if (roll < 0.88) return { standing: "limited", lines: [`authorization: Bearer ${limited}`] };
    const wrong = oneOf(random, [
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${MARK}`,
      `Basic ${btoa(`${whole}:`)}`,
      `Bearer ${whole} x`,
      `Bearer ${whole.slice(0, -1)}`,
      `Bearer ${"x".repeat(2_000)}`,
      "Bearer \u00e9",
      `Tokens ${whole}`,
    ]);
    const isLost = random() < 0.2;
    return { standing: "stranger", lines: isLost ? [] : [`authorization: ${wrong}`] };
  }

  #headed(key: readonly string[], body: string): readonly (Uint8Array | string)[] {
    const random = this.#random;
    const lines = [
      `host: ${random() < 0.97 ? "outline.test" : oneOf(random, ["", "a b", "[::", "\u00e9"])}`,
      ...key,
    ];
    while (random() < 0.3) lines.push(oneOf(random, ODD_HEADERS).join(": "));
    if (random() < 0.3) lines.push(`content-type: ${oneOf(random, CONTENT_TYPES)}`);
    const bytes = Buffer.from(body);
    if (bytes.length === 0) return [Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")];
    if (random() < 0.85) {
      lines.push(`content-length: ${bytes.length}`);
      return [Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes];
    }
    lines.push("transfer-encoding: chunked");
    const cut = integerBelow(random, bytes.length);
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
    return [
      Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
      ...chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, "\r\n"]),
      "0\r\n\r\n",
    ];
  }
}

/** Whether a body can't be what an operation asks for, as its schema says. */
function isWrong(body: string, operation: ApiOperation, { schemas }: Api): boolean {
  // Nobody looks at a body that nothing is asked of.
  if (operation.body === undefined) return false;
  const text = Buffer.from(body)
    .toString()
    .replace(/^\uFEFF/, "");
  if (text.trim() === "") return !fits({}, operation.body, schemas);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return true;
  }
  // What some programs send when they have nothing to say.
  const fields = value ?? {};
  if (typeof fields !== "object" || Array.isArray(fields)) return true;
  return !fits(fields, operation.body, schemas);
}
