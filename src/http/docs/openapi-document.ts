import { z, type ZodType } from "zod";
import { API_SCHEMAS, PROBLEM } from "../api-schemas.ts";
import { isKept, type Operation } from "../operation.ts";
import { PROBLEM_STATUS, type ProblemCode } from "../problem.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Content {
  readonly "application/json": { readonly schema: JsonSchema; readonly example?: unknown };
  /** Of files. */
  readonly [contentType: `text/${string}`]: { readonly schema: JsonSchema };
}

/** Events, each with data of the schema. */
interface EventContent {
  readonly "text/event-stream": { readonly schema: JsonSchema };
}

interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: Content | EventContent;
}

interface EmptyResponse {
  readonly description: string;
}

interface ComponentReference {
  readonly $ref: string;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  /** What a success is answered with, and where the refusals are described. */
  readonly responses: { readonly 200: ApiResponse } & Readonly<
    Record<string, ApiResponse | EmptyResponse | ComponentReference>
  >;
}

/** The part of OpenAPI 3.1 that this API is described with. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

const TAGS = [
  { name: "Nodes", description: "The bullets of the outline." },
  { name: "Targets", description: "Named entry points: the system's, and the user's shortcuts." },
  { name: "Settings", description: "What `today` and `next_week` depend on." },
  { name: "Keys", description: "API keys." },
  { name: "Sessions", description: "Browsers that are signed in with a key." },
  { name: "Webhooks", description: "Addresses that are told what changes." },
];

/** Refusals that any operation may answer with. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  "invalid_request",
  "unauthorized",
  "rate_limited",
  "unavailable",
  "outline_too_large",
];

const WAIT_HEADERS = {
  "Retry-After": { description: "Whole seconds to wait.", schema: { type: "integer", minimum: 1 } },
};

/** Every answer has them, where requests are limited. */
const LIMIT_HEADERS = {
  "RateLimit-Policy": {
    description:
      "Where requests are limited: how many of a key, or of a user, in how many seconds. Every answer has this.",
    schema: { type: "string", examples: ['"key";q=20;w=60, "user";q=100;w=60'] },
  },
  RateLimit: {
    description: "The same: how many are left, and after how many seconds all are there again.",
    schema: { type: "string", examples: ['"key";r=19;t=3, "user";r=99;t=1'] },
  },
};

/** The refusals by status, as components of the document. */
const REFUSALS: Readonly<Record<number, Omit<ApiResponse, "content">>> = {
  400: { description: "The request is not of the right form, or can't be done." },
  401: { description: "There is no API key, or a bad one." },
  403: { description: "The API key does not cover this." },
  404: { description: "There is no such node, or whatever else was named." },
  409: {
    description:
      "There are as many API keys or webhooks as may be, a node is not what was expected, or the same request is in work.",
  },
  410: { description: "What the cursor stood at is gone: begin again without it." },
  412: { description: "The node is not what `If-Match` names, or that can't be asked for here." },
  413: { description: "The body, a name or a note is too large, or the outline is full." },
  422: { description: "Another request has had the same `Idempotency-Key`." },
  429: { description: "Too many requests.", headers: { ...WAIT_HEADERS, ...LIMIT_HEADERS } },
  503: {
    description: "The store does not work right now, or too much is asked at once.",
    headers: WAIT_HEADERS,
  },
  507: { description: "The outline takes more memory than the server may use for it." },
};

const IF_MATCH: ApiParameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` with which the node was read: nothing is changed when it is another now.",
  schema: { type: "string" },
};

const LAST_EVENT_ID: ApiParameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The `id` of the last event that came: what has changed since then is told first.",
  schema: { type: "string" },
};

const IDEMPOTENCY_KEY: ApiParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A random text: the same request with it is done once, and answered as it was the first time for 24 hours.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** How programs get in that are given no key. What they get opens no operation of this document. */
const ASSISTANT = {
  type: "oauth2",
  description:
    "For assistants, which speak MCP at `/mcp`: authorization code with PKCE (S256) and `resource`. A " +
    "client is known by the address of its Client ID Metadata Document, or registers at " +
    "`/oauth/register`; `/oauth/revoke` ends what it has. All of it is described at " +
    "`/.well-known/oauth-authorization-server`.",
  flows: {
    authorizationCode: {
      authorizationUrl: "/oauth/authorize",
      tokenUrl: "/oauth/token",
      refreshUrl: "/oauth/token",
      scopes: { read: "Read.", write: "Read, write and delete." },
    },
  },
};

const INTRODUCTION = [
  "An outline of nodes in a hierarchy. Every request carries `Authorization: Bearer <key>`; bodies are JSON, times are Unix seconds.",
  "A node is referred to by its full id, by the last 12 digits of it, by the URL of a node, by a shortcut key of the user, as `inbox`, `calendar`, `today`, `tomorrow` or `next_week`, or by a date of the calendar: `2026`, `2026-08`, `2026-08-01`. Where a place is asked for, `None`, `root`, an empty text or nothing at all is the top level.",
  "Names are given in markdown: `**bold**`, `*italic*`, `~~struck~~`, code in backticks, `[text](url)`, `[2026-08-01]`, `[2026-08-01 14:30]`. A prefix sets the layout: `# `, `## `, `### `, `- `, `- [ ] `, `- [x] `, `> ` or a fence of three backticks. Names and notes are answered as HTML fragments; a name that is sent back as it is answered changes nothing. What is sent may have `<br>` for a line break, which is a space in a name that is not code.",
].join("\n\n");

/** The OpenAPI document of the operations, made from the schemas that check their parameters. */
export function openApiDocument(operations: readonly Operation[]): OpenApiDocument {
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: apiOperation(operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Outline service",
      version: "1",
      description: INTRODUCTION,
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" }, assistant: ASSISTANT },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, refusal]) => [
          refusalId(status),
          { ...refusal, content: jsonContent(PROBLEM) },
        ]),
      ),
      schemas: componentSchemas(),
    },
  };
}

function apiOperation(operation: Operation): ApiOperation {
  const { id, tag, summary, description, body, example } = operation;
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation),
    ...(operation.comparesNode === true ? [IF_MATCH] : []),
    ...(operation.isEndless === true ? [LAST_EVENT_ID] : []),
    ...(isKept(operation) ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(parameters.length > 0 ? { parameters } : undefined),
    ...(body === undefined
      ? undefined
      : {
          requestBody: {
            required: !body.safeParse({}).success,
            content: jsonContent(body, example),
          },
        }),
    responses: {
      200: answerOf(operation),
      ...(operation.hasTag === true && { 304: { description: "The client has it already." } }),
      ...refusalResponses(operation),
    },
  };
}

function answerOf({ answer, isEndless, fileTypes = [] }: Operation): ApiResponse {
  const files = fileTypes.map((type) => [type, { schema: { type: "string" } }]);
  const content: Content = { ...jsonContent(answer), ...Object.fromEntries(files) };
  if (isEndless !== true) return { description: "Done.", content };
  const { schema } = content["application/json"];
  return {
    description: "Events, with this for their data.",
    content: { "text/event-stream": { schema } },
  };
}

function pathParameters({ parameter }: Operation): readonly ApiParameter[] {
  if (parameter === undefined) return [];
  const { description, ...schema } = inlineSchema(parameter.schema);
  return [apiParameter(parameter.name, "path", true, description, schema)];
}

function queryParameters({ query }: Operation): readonly ApiParameter[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    return apiParameter(name, "query", required.includes(name), description, schema);
  });
}

function apiParameter(
  name: string,
  place: ApiParameter["in"],
  required: boolean,
  description: unknown,
  schema: JsonSchema,
): ApiParameter {
  return {
    name,
    in: place,
    required,
    ...(typeof description === "string" ? { description } : undefined),
    schema,
  };
}

function refusalResponses(operation: Operation): Record<string, ComponentReference> {
  const { problems, needs, method } = operation;
  const codes = [...COMMON_PROBLEMS, ...problems];
  // Whatever is sent along is read, whether or not anything is asked for.
  if (method !== "GET") codes.push("too_large");
  if (needs.write || needs.wholeOutline) codes.push("forbidden");
  if (needs.write) codes.push("precondition_failed");
  if (isKept(operation)) codes.push("in_progress", "idempotency_key_reused");
  const statuses = new Set(codes.map((code) => PROBLEM_STATUS[code]));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      { $ref: `#/components/responses/${refusalId(status)}` },
    ]),
  );
}

function refusalId(status: number | string): string {
  return `Refused${status}`;
}

function jsonContent(schema: ZodType, example?: unknown): Content {
  const id = API_SCHEMAS.get(schema)?.id;
  const described = id === undefined ? inlineSchema(schema) : { $ref: componentUri(id) };
  return {
    "application/json": {
      schema: described,
      ...(example === undefined ? undefined : { example }),
    },
  };
}

function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(API_SCHEMAS, { uri: componentUri, io: "input" });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

function inlineSchema(schema: ZodType): JsonSchema {
  return bare(z.toJSONSchema(schema, { io: "input" }));
}

/** Without what says the same of every schema of the document. */
function bare({ $schema: _dialect, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function componentUri(id: string): string {
  return `#/components/schemas/${id}`;
}
