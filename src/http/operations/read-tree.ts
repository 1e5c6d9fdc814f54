import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import type { NodeInPieces } from "../../core/node/node-reader.ts";
import { named, NODE, PARENT_REFERENCE } from "../api-schemas.ts";
import { shortText, withTag } from "../answer/entity-tag.ts";
import { type NestedForm, nestedPieces } from "../answer/nested-pieces.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE, ProblemError } from "../problem.ts";
import { jsonPieces } from "../answer/rendered-nodes.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { reading, streamingPieces } from "../service.ts";

const STANDARD_DEPTH = 3;
const FIELDS = NODE.keyof().options;

type Field = (typeof FIELDS)[number];

const QUERY = z.object({
  depth: z
    .string()
    .regex(/^(?:[0-9]+|all)$/, "expected a whole number from 0 on, or all")
    .transform((text) => (text === "all" ? Infinity : Number(text)))
    .optional()
    .meta({
      description: `How many levels below the node, or \`all\`; ${STANDARD_DEPTH} when left out.`,
    }),
  fields: z
    .string()
    .transform((text) => [...new Set(text.split(",").filter((word) => word !== ""))])
    .pipe(z.array(z.enum(FIELDS)))
    .optional()
    .meta({
      description:
        "Which of its fields each node has, separated by commas: all when left out, and always `id`.",
    }),
});

const TREE = z.looseObject({ id: z.string() }).meta({
  description:
    "A node with its `children`, each with its own. A node with children that are too deep to be " +
    "shown has their number as `truncated`, and an empty list.",
});

export const readTree = defineOperation({
  id: "readTree",
  method: "GET",
  path: "/api/v1/nodes/:id/tree",
  tag: "Nodes",
  summary: "Read a node with what is below it",
  description:
    "Answers a node and some levels below it, each node in the `children` of its parent. The top level " +
    "is `None`, and no node: its `root` is `null`. An answer of up to 16 KiB has an `ETag`, as that of a " +
    "node, when `fields` are left out.",
  needs: { write: false, wholeOutline: false },
  parameter: { name: "id", schema: PARENT_REFERENCE },
  query: QUERY,
  hasTag: true,
  answer: named(
    "TreeOfNodes",
    z.strictObject({
      root: TREE.nullable(),
      children: z.array(TREE),
      truncated: z.int().positive().optional(),
    }),
  ),
  problems: ["not_found"],
  async run({ principal, caller, id, query }, service) {
    const { depth = STANDARD_DEPTH, fields } = query;
    const place = await reading(service, caller, (view) => {
      const found = placeOf(view, id);
      if (found === undefined) return NO_SUCH_NODE;
      // With few fields a short answer may be made of very long texts.
      const text =
        fields === undefined ? shortText(treePieces(view, found, depth, fields)) : undefined;
      return text ?? found;
    });
    if (typeof place === "string") return withTag(place);
    if ("kind" in place) return place;
    return streamingPieces(service, principal, ["", ""], (view) =>
      treePieces(view, place, depth, fields),
    );
  },
});

type Place = { readonly node: NodeKey } | { readonly top: NodeKey };

function placeOf(view: ScopedOutline, id: string): Place | undefined {
  const node = view.node(id);
  if (node !== undefined) return { node };
  const top = view.place(id);
  return top === undefined ? undefined : { top };
}

function* treePieces(
  view: ScopedOutline,
  place: Place,
  depth: number,
  fields: readonly Field[] | undefined,
): Generator<string> {
  const row = view.outline.tree.visibleRow("node" in place ? place.node : place.top);
  if (row === undefined) throw new ProblemError(NO_SUCH_NODE);
  const form: NestedForm = {
    node: ({ key }) => openNode(view, key, fields),
    children: ',"children":[',
    none: ',"children":[]',
    deeper: (count) => `,"truncated":${count},"children":[]`,
  };
  if ("top" in place) yield '{"root":null';
  else {
    let before = '{"root":';
    for (const piece of openNode(view, row.key, fields)) {
      yield before + piece;
      before = "";
    }
    yield "}";
  }
  yield* nestedPieces(view, row, depth, form);
}

/** The JSON of a node without its closing brace. */
function* openNode(
  view: ScopedOutline,
  key: NodeKey,
  fields: readonly Field[] | undefined,
): Generator<string> {
  const long = view.isLong(key) ? view.seenInPieces(key) : undefined;
  if (long === undefined) {
    const whole = view.show(key) ?? "{}";
    yield (fields === undefined ? whole : picked(whole, fields)).slice(0, -1);
  } else if (fields === undefined) {
    yield* withoutBrace(view.pieces(long));
  } else {
    yield* openLong(view, long, fields);
  }
}

/** Some fields of a node of very long texts, of which none is made that is not asked for. */
function* openLong(
  view: ScopedOutline,
  node: NodeInPieces,
  fields: readonly Field[],
): Generator<string> {
  const { name, note } = node;
  const rest = [...view.pieces({ ...node, name: [], note: [] })].join("");
  const others = fields.filter((field) => field !== "name" && field !== "note");
  yield picked(rest, others).slice(0, -1);
  if (fields.includes("name")) yield* textField("name", name);
  if (fields.includes("note")) yield* textField("note", note);
}

function* textField(field: Field, text: Iterable<string> | null): Generator<string> {
  if (text === null) return yield `,"${field}":null`;
  yield `,"${field}":"`;
  yield* jsonPieces(text);
  yield `"`;
}

function* withoutBrace(pieces: Iterable<string>): Generator<string> {
  let last = "";
  for (const piece of pieces) {
    yield last;
    last = piece;
  }
  yield last.slice(0, -1);
}

function picked(json: string, fields: readonly Field[]): string {
  const node = JSON.parse(json) as Readonly<Record<Field, unknown>>;
  return JSON.stringify({
    id: node.id,
    ...Object.fromEntries(fields.map((field) => [field, node[field]])),
  });
}
