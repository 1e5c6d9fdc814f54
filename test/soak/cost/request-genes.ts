import { OUTLINE_FORMATS } from "../../../src/formats/outline-format.ts";
import type { Gene } from "./gene.ts";
import { keyOf } from "./update-genes.ts";

/** A request as a client may send it. */
export interface CostRequest {
  readonly method: string;
  readonly path: string;
  /** As it is sent; without one there is none. */
  readonly body?: string;
}

const JSON_PARTS = [
  "[",
  '{"a":',
  '"\\u0000',
  "1e",
  "[[],",
  '{"":{},',
  "\\",
  "0",
  " ",
  '"a","b",',
  "]",
];
const LAYOUTS = ["todo", "h1", "code-block", "quote-block", "bullets", "", null];
const SORTS = ["document", "modified"];
const POSITIONS = ["top", "bottom"];

function day(index: number): string {
  return new Date(Date.UTC(1_000 + (index % 8_999), index % 12, 1 + (index % 28)))
    .toISOString()
    .slice(0, 10);
}

/** Ways to say which node is meant. */
const REFERENCES: readonly ((index: number, size: number) => string)[] = [
  (index) => keyOf(index),
  () => keyOf(0),
  () => "inbox",
  () => "today",
  (index) => day(index),
  (index) => String(1_000 + (index % 8_999)),
  (index) => `s${index}`,
  () => "root",
  (_index, size) => `https://a.b/${"x/".repeat(size % 1_000)}#/${keyOf(0)}`,
  (_index, size) => "z".repeat(size % 3_000),
  () => "__proto__",
];

function referenceOf({ pick, size }: Gene, index: number): string {
  return REFERENCES[pick % REFERENCES.length]?.(index, size) ?? "inbox";
}

/** With a body of JSON. */
function posting(path: string, body: Readonly<Record<string, unknown>>): CostRequest {
  return { method: "POST", path, body: JSON.stringify(body) };
}

function node(reference: string, more = ""): string {
  return `/api/v1/nodes/${encodeURIComponent(reference)}${more}`;
}

type MakeRequest = (gene: Gene, text: string, index: number) => CostRequest;

/** Kinds of requests; each is made `count` times, at most some hundreds. @see TEXT_GENES for the text */
export const REQUEST_GENES: Readonly<Record<string, MakeRequest>> = {
  create: (gene, text, index) =>
    posting("/api/v1/nodes", {
      parent_id: gene.pick % 3 === 0 ? undefined : referenceOf(gene, index),
      name: text,
      position: POSITIONS[gene.pick % 2],
      layoutMode: LAYOUTS[gene.size % LAYOUTS.length],
    }),
  createNote: (gene, text) =>
    posting("/api/v1/nodes", { name: "a", note: text, completed: gene.pick % 2 === 0 }),
  rename: (gene, text, index) =>
    posting(node(referenceOf(gene, index)), {
      name: gene.size % 3 === 0 ? `${index}${text}` : text,
      layoutMode: LAYOUTS[gene.size % LAYOUTS.length],
    }),
  annotate: (gene, text, index) => posting(node(referenceOf(gene, index)), { note: text }),
  complete: (gene, _text, index) =>
    posting(node(referenceOf(gene, index), gene.size % 2 === 0 ? "/complete" : "/uncomplete"), {}),
  move: (gene, _text, index) =>
    posting(node(referenceOf(gene, index), "/move"), {
      parent_id: gene.size % 3 === 0 ? null : keyOf(index * gene.size),
      position: POSITIONS[index % 2],
    }),
  remove: (gene, _text, index) => ({ method: "DELETE", path: node(referenceOf(gene, index)) }),
  retrieve: (gene, _text, index) => ({ method: "GET", path: node(referenceOf(gene, index)) }),
  list: (gene, _text, index) => ({
    method: gene.size % 4 === 0 ? "HEAD" : "GET",
    path: `/api/v1/nodes?parent_id=${encodeURIComponent(referenceOf(gene, index))}`,
  }),
  query: ({ size, pick }) => ({
    method: "GET",
    path: `/api/v1/nodes?${["a=b&", "%25", "parent_id=", "&", "[a]=1&"][pick % 5]?.repeat(size % 2_000)}`,
  }),
  search: ({ size, pick }, text, index) => ({
    method: "GET",
    path: `/api/v1/search?q=${encodeURIComponent(
      [text.slice(0, size % 900), "-q ".repeat(size % 50), "a OR ".repeat(size % 50), "changed:1d"][
        pick % 4
      ] ?? "",
    )}&sort=${SORTS[index % 2]}&limit=${1 + (size % 600)}&include=path,spans,count`,
  }),
  readDoc: (gene, _text, index) => ({
    method: "GET",
    path: `/api/llm/doc/read/${encodeURIComponent(referenceOf(gene, index))}/?depth=${gene.size}`,
  }),
  editDoc: (gene, text, index) =>
    posting("/api/llm/doc/edit", {
      operations: Array.from({ length: 1 + (gene.size % 40) }, (_, at) =>
        operationOf(gene, text, index + at),
      ),
    }),
  export: ({ pick }) => ({
    method: "GET",
    path: `/api/v1/nodes-export?format=${OUTLINE_FORMATS[pick % OUTLINE_FORMATS.length]}`,
  }),
  targets: () => ({ method: "GET", path: "/api/v1/targets" }),
  setTarget: (gene, _text, index) =>
    posting("/api/v1/targets", {
      key: `s${index}`.padEnd(gene.size % 100, "x"),
      id: referenceOf(gene, index),
    }),
  removeTarget: (_gene, _text, index) => ({ method: "DELETE", path: `/api/v1/targets/s${index}` }),
  settings: ({ pick, size }, text) =>
    pick % 3 === 0
      ? { method: "GET", path: "/api/v1/settings" }
      : posting("/api/v1/settings", {
          weekStart: size % 8,
          timezone: ["Europe/Paris", "UTC", text][pick % 3],
        }),
  keys: ({ pick }, text, index) =>
    pick % 2 === 0
      ? { method: "GET", path: "/api/v1/keys" }
      : posting("/api/v1/keys", {
          name: `${index}${text}`,
          scope: "read",
          root_id: pick % 3 === 0 ? keyOf(0) : null,
        }),
  others: ({ pick }) => ({
    method: ["GET", "GET", "OPTIONS", "PUT", "GET"][pick % 5] ?? "GET",
    path:
      ["/", "/openapi.json", "/api/v1/nodes", "/docs", "/metrics", "/api/v1/sessions"][pick % 6] ??
      "/",
  }),
  json: ({ size, pick }) => ({
    method: "POST",
    path: ["/api/v1/nodes", "/api/v1/targets", "/session", "/api/v1/keys"][pick % 4] ?? "/",
    body: JSON_PARTS[pick % JSON_PARTS.length]?.repeat(size) ?? "",
  }),
  jsonKeys: ({ size, pick }, text) => {
    const names = Array.from({ length: size }, (_, index) => `"${pick}${index}":${index}`);
    return {
      method: "POST",
      path: "/api/v1/nodes",
      body: `{"name":${JSON.stringify(text)},${names.join()}}`,
    };
  },
};

function operationOf(gene: Gene, text: string, index: number): object {
  const ref = referenceOf(gene, index);
  const item = { n: text.slice(0, 200), c: [{ n: "a", l: "todo", x: 1 }] };
  return (
    [
      { op: "insert", under: ref, items: [item, item] },
      { op: "update", ref, to: { n: text, d: text.slice(0, 100) } },
      { op: "move", ref, under: keyOf(index * gene.size) },
      { op: "delete", ref },
      { op: "insert", after: ref, items: [item] },
    ][(gene.pick + index) % 5] ?? {}
  );
}
