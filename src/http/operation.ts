import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { ZodType } from "zod";
import { problem, type Problem, type ProblemCode } from "./problem.ts";
import { parseQuery } from "./intake/query-text.ts";
import { shaped, type Shaped } from "./shaped.ts";
import type { Service } from "./service.ts";
import type { Caller, ReplayedText } from "./once.ts";

/** A JSON text that has an `ETag`: who has it already is answered without a body. */
export interface TaggedText {
  readonly kind: "tagged";
  readonly text: string;
  readonly tag: string;
}

/** A JSON text with a status of its own; without a text there is none. */
export interface StatusText {
  readonly kind: "status";
  readonly status: number;
  readonly text: string | undefined;
}

/** Server-sent events, for as long as they go on. */
export interface EventStream {
  readonly kind: "events";
  readonly stream: Readable;
}

/** Something else than JSON, to be kept as a file. */
export interface FileStream {
  readonly kind: "file";
  readonly content: Readable | string;
  readonly contentType: string;
  readonly fileName: string;
}

/** The JSON text of a successful answer, or the stream of one, or of a file, or events, or a refusal. */
export type Answer =
  | string
  | ReplayedText
  | TaggedText
  | StatusText
  | Readable
  | EventStream
  | FileStream
  | Problem;

/** Whether what it answers is kept for a request that comes again: that of all that changes an outline. */
export function isKept({ needs, tag }: Pick<Operation, "needs" | "tag">): boolean {
  return needs.write && tag !== "Keys" && tag !== "Sessions" && tag !== "Webhooks";
}

export const DONE_ANSWER = '{"status":"ok"}';

/** What a request asks, as far as the router and the admission understand it. */
export interface IncomingCall extends Caller {
  /** The last parameter of the path, decoded; empty when the path has none. */
  readonly id: string;
  readonly queryText: string;
  /** The parsed JSON; undefined without one. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** Only the headers of the answer are wanted. */
  readonly headersOnly: boolean;
  /** At which the client knows the service; undefined when it asked for a host that can be none. */
  readonly address: () => string | undefined;
  /** Calls back when the client has left before it is answered. Answers how to stop. */
  readonly onLeave: (callback: () => void) => () => void;
}

/** A call whose parameters are of the right shape. */
interface Call<Query, Body> extends Pick<
  IncomingCall,
  "principal" | "id" | "headersOnly" | "address" | "onLeave"
> {
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
  readonly ifMatch: string | undefined;
  /** Of who comes back for more events. */
  readonly lastEventId: string | undefined;
}

/** Who may call an operation. */
export interface Needs {
  /** It changes something: a read-only key may not. */
  readonly write: boolean;
  /** It concerns all of the user's outline: a key that is limited to a subtree may not. */
  readonly wholeOutline: boolean;
  /**
   * It takes a key itself, or an access token of an OAuth client, and no session, and nothing from pages
   * of other sites.
   */
  readonly ownKey?: true;
}

interface Description {
  /** Unique; names the operation in the OpenAPI document. */
  readonly id: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** As the router and OpenAPI both understand it after `{id}` is rewritten. */
  readonly path:
    | `/api/v1/${string}`
    | `/api/llm/${string}`
    | `/sessions${string}`
    | `/oauth/${string}`
    | "/mcp";
  readonly tag: "Nodes" | "Targets" | "Settings" | "Keys" | "Sessions" | "Webhooks";
  readonly summary: string;
  readonly description: string;
  readonly needs: Needs;
  /** What the parameter of the path is. */
  readonly parameter?: { readonly name: string; readonly schema: ZodType };
  /** Its body may hold a name and a note, which may be long. */
  readonly takesTexts?: true;
  /** Longest body of those with texts, where it is not that of all. */
  readonly maxBytes?: number;
  /** Its work goes on outside of turns: of each user one is in work at a time, as with long bodies. */
  readonly isLong?: true;
  /** Its answer is a stream of events, each with `answer` for its data, and does not end by itself. */
  readonly isEndless?: true;
  /** Its answer may have an `ETag`, and is not sent to who has it already. */
  readonly hasTag?: true;
  /** It looks at `If-Match`, and changes the node only if that names what it is. */
  readonly comparesNode?: true;
  /** Values that the JSON of its body may have, where these are many. [Q18] */
  readonly maxValues?: number;
  readonly answer: ZodType;
  /** What else its answer may be than JSON: content types. */
  readonly fileTypes?: readonly string[];
  /** A body that shows the operation, for the documentation. */
  readonly example?: unknown;
  /** Refusals beyond those that every operation has. */
  readonly problems: readonly ProblemCode[];
}

interface OperationSource<Query, Body> extends Description {
  readonly query?: ZodType<Query>;
  readonly body?: ZodType<Body>;
  readonly run: (call: Call<Query, Body>, service: Service) => Answer | Promise<Answer>;
}

/** An operation of the API: what it is called, what it takes and answers, and how it is done. */
export interface Operation extends Description {
  readonly query?: ZodType;
  readonly body?: ZodType;
  /** Answers at once what needs no waiting. */
  readonly handle: (call: IncomingCall, service: Service) => Answer | Promise<Answer>;
}

/** Makes an operation of its parts; its parameters are checked by the schemas that document them. */
export function defineOperation<Query = undefined, Body = undefined>(
  source: OperationSource<Query, Body>,
): Operation {
  const { query: querySchema, body: bodySchema, run, ...description } = source;
  return {
    ...description,
    ...(querySchema === undefined ? undefined : { query: querySchema }),
    ...(bodySchema === undefined ? undefined : { body: bodySchema }),
    handle(call, service) {
      const fields = parseQuery(call.queryText);
      if (fields.kind === "problem") return fields;
      const query = readShape(querySchema, fields.fields);
      if (query.kind === "problem") return query;
      const body = readBody(bodySchema, call.body);
      if (body.kind === "problem") return body;
      const { headers } = call;
      const ifMatch = headers["if-match"];
      // Of several a header has one text; an empty one is none.
      const lastEventId = headers["last-event-id"]?.toString() || undefined;
      const given = { query: query.value, body: body.value };
      return run({ ...call, caller: call, ifMatch, lastEventId, ...given }, service);
    },
  };
}

function readBody<T>(schema: ZodType<T> | undefined, body: unknown): Shaped<T> {
  // A body of `null` is what some programs send when they have none.
  const fields = body ?? {};
  if (typeof fields !== "object" || Array.isArray(fields)) {
    return problem("invalid_request", "The body is not a JSON object.");
  }
  return readShape(schema, fields);
}

/** Without a schema nothing is asked for, and the value is `undefined`, which is what `T` is then. */
function readShape<T>(schema: ZodType<T> | undefined, value: unknown): Shaped<T> {
  return schema === undefined ? { kind: "value", value: undefined as T } : shaped(schema, value);
}
