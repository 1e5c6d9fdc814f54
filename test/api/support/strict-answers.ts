/**
 * The answers of the API as strictly typed client programs declare them: every key named, no other
 * key let through, whole numbers for times and priorities. The tests' client applies them to every
 * answer it gets, so a stray key or a fraction fails whatever test happens to see it.
 */
import { z } from "zod";

const ID = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const SECONDS = z.int().positive();
const LAYOUT = z.string().regex(/^[A-Za-z0-9-]{1,32}$/);

const NODE = z
  .strictObject({
    id: ID,
    parent_id: ID.nullable(),
    name: z.string(),
    note: z.string().min(1).nullable(),
    priority: z.int().positive(),
    completed: z.boolean(),
    data: z.looseObject({ layoutMode: LAYOUT }),
    createdAt: SECONDS,
    modifiedAt: SECONDS,
    completedAt: SECONDS.nullable(),
  })
  .refine((node) => node.completed === (node.completedAt !== null), "completed ≠ completedAt");

export type ApiNode = z.infer<typeof NODE>;

/** A list holds all children of one node, in order: their priorities are 100, 200, 300 … */
const LIST = z.strictObject({ nodes: z.array(NODE) }).superRefine(({ nodes }, context) => {
  nodes.forEach((node, index) => {
    if (node.priority !== (index + 1) * 100) {
      context.addIssue(`priority ${node.priority} at index ${index}`);
    }
    if (node.parent_id !== nodes[0]?.parent_id) context.addIssue("two parents in one list");
  });
});

/** An export holds whole trees, depth first: each node directly continues an open branch. */
const EXPORT = z.strictObject({ nodes: z.array(NODE) }).superRefine(({ nodes }, context) => {
  // Of a part it is what the part is in.
  const top = nodes[0]?.parent_id ?? null;
  const branch: ApiNode[] = [];
  const seen = new Set<string>();
  const siblings = new Map<string | null, number>();
  for (const node of nodes) {
    while (branch.length > 0 && branch.at(-1)?.id !== node.parent_id) branch.pop();
    const parent = branch.at(-1)?.id ?? top;
    if (parent !== node.parent_id) context.addIssue(`${node.id} is not below ${node.parent_id}`);
    const rank = (siblings.get(parent) ?? 0) + 1;
    siblings.set(parent, rank);
    const isAmongAll = top === null || node !== nodes[0];
    if (isAmongAll && node.priority !== rank * 100)
      context.addIssue(`priority ${node.priority} at ${rank - 1}`);
    if (seen.has(node.id)) context.addIssue(`${node.id} stands twice`);
    seen.add(node.id);
    branch.push(node);
  }
});

const TARGET = z
  .strictObject({
    key: z.string().min(1),
    type: z.enum(["system", "shortcut"]),
    name: z.string().nullable(),
  })
  .refine((target) => target.type === "system" || target.name !== null, "a shortcut to nothing");

export type ApiTarget = z.infer<typeof TARGET>;

const KEY = z.strictObject({
  id: z.string().min(1),
  name: z.string(),
  scope: z.enum(["read", "write"]),
  root_id: ID.nullable(),
  createdAt: SECONDS,
  lastUsedAt: SECONDS.nullable(),
  expiresAt: SECONDS.nullable(),
});

export type ApiKey = z.infer<typeof KEY>;

const SETTINGS = z.strictObject({ timezone: z.string().min(1), weekStart: z.int().min(0).max(6) });

export type ApiSettings = z.infer<typeof SETTINGS>;

const RANGES = z.array(z.tuple([z.int(), z.int()]));
const MATCHES = z.strictObject({
  matches: z.array(
    z.strictObject({
      node: NODE,
      path: z.array(z.strictObject({ id: ID, name: z.string() })).optional(),
      spans: z.strictObject({ name: RANGES, note: RANGES }).optional(),
    }),
  ),
  cursor: z.string().nullable(),
  count: z.int().nullable().optional(),
});

const TREE_NODE: z.ZodType = z.lazy(() =>
  z.strictObject({
    ...NODE.shape,
    children: z.array(TREE_NODE),
    truncated: z.int().positive().optional(),
  }),
);
const TREE = z.strictObject({
  root: z.union([NODE, z.looseObject({ id: ID })]).nullable(),
  children: z.array(
    z.union([TREE_NODE, z.looseObject({ id: ID, children: z.array(z.unknown()) })]),
  ),
  truncated: z.int().positive().optional(),
});

const BATCH = z.strictObject({
  results: z.array(
    z.strictObject({
      op: z.string(),
      id: ID.nullable(),
      origin_id: ID.nullable().optional(),
      ids: z.array(ID).optional(),
    }),
  ),
  handles: z.record(z.string(), ID.nullable()),
});

const OK = z.strictObject({ status: z.literal("ok") });

const SUCCESS: readonly (readonly [method: string, path: RegExp, answer: z.ZodType])[] = [
  ["POST", /^\/nodes$/, z.strictObject({ item_id: ID })],
  ["GET", /^\/nodes$/, LIST],
  ["GET", /^\/nodes\/[^/]+\/tree$/, TREE],
  ["GET", /^\/nodes\/[^/]+$/, z.strictObject({ node: NODE })],
  ["POST", /^\/nodes\/[^/]+(\/(move|complete|uncomplete))?$/, OK],
  ["DELETE", /^\/nodes\/[^/]+$/, OK],
  ["POST", /^\/batch$/, BATCH],
  ["GET", /^\/nodes-export$/, EXPORT],
  ["GET", /^\/search$/, MATCHES],
  ["GET", /^\/targets$/, z.strictObject({ targets: z.array(TARGET) })],
  ["POST", /^\/targets$/, OK],
  ["DELETE", /^\/targets\/[^/]+$/, OK],
  ["GET", /^\/settings$/, SETTINGS],
  ["POST", /^\/settings$/, SETTINGS],
  ["GET", /^\/keys$/, z.strictObject({ keys: z.array(KEY) })],
  ["POST", /^\/keys$/, z.strictObject({ id: z.string().min(1), key: z.string().min(32) })],
  ["DELETE", /^\/keys\/[^/]+$/, OK],
];

const CODES = new Map<number, readonly string[]>([
  [400, ["invalid_request", "invalid_parent", "invalid_cursor", "invalid_query"]],
  [401, ["unauthorized"]],
  [403, ["forbidden"]],
  [404, ["not_found"]],
  [405, ["method_not_allowed"]],
  [409, ["conflict"]],
  [410, ["cursor_expired"]],
  [413, ["too_large", "outline_full"]],
  [429, ["rate_limited"]],
]);

function refusalSchema(status: number): z.ZodType | undefined {
  const codes = CODES.get(status);
  if (codes === undefined) return undefined;
  const refusal = z.strictObject({
    error: z.string().min(1),
    code: z.enum(codes),
    message: z.string().min(1),
    operation: z.int().nonnegative().optional(),
  });
  return status === 429 ? refusal.extend({ retry_after: z.int().positive() }) : refusal;
}

/** A number that typed clients of other languages do not read as whole: `150.0`, `1.5e2`, `-1`. */
const NOT_WHOLE =
  /"(?:priority|createdAt|modifiedAt|completedAt|lastUsedAt|expiresAt|weekStart|retry_after)":(?!null|\d+[,}])/;

export interface RawAnswer {
  readonly method: string;
  /** Below `/api/v1`, without the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * The parsed body of an answer.
 * @throws Error when a strictly typed client would refuse it
 */
export function strictBody(answer: RawAnswer): unknown {
  const { method, path, status, headers, text } = answer;
  const what = `${method} ${path} → ${status} ${text.slice(0, 300)}`;
  if (!/^application\/json(;|$)/.test(headers.get("content-type") ?? "")) {
    throw new Error(`not JSON: ${headers.get("content-type")} of ${what}`);
  }
  if (NOT_WHOLE.test(text)) throw new Error(`not a whole number: ${what}`);
  const route = path.replace(/\/$/, "");
  const schema =
    status === 200
      ? SUCCESS.find(([verb, pattern]) => verb === method && pattern.test(route))?.[2]
      : refusalSchema(status);
  if (schema === undefined) throw new Error(`no such answer in the contract: ${what}`);
  const body: unknown = JSON.parse(text);
  const result = schema.safeParse(body);
  if (!result.success) throw new Error(`${z.prettifyError(result.error)}\nin ${what}`);
  return body;
}
