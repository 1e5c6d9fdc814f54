import { z } from "zod";
import { BATCH, BATCH_DRAFT, BATCH_OPERATION } from "../batch/batch-schemas.ts";
import type { Answer, Operation } from "../operation.ts";
import { createNode } from "../operations/create-node.ts";
import { batchOperations } from "../operations/do-batch.ts";
import { onceOf, onceProblem } from "../once.ts";
import { problem, type Problem } from "../problem.ts";
import { listProblem, misreadIn } from "./misread.ts";
import { IS_DATA } from "./read-tools.ts";
import { defineTool, type ToolCall } from "./tool.ts";

const SHORT_ID_LENGTH = 12;

const MARKDOWN =
  "Texts are markdown: `- [ ] ` at the beginning makes a to-do, `[2026-12-24]` and `[2026-12-24 14:30]` are dates.";

const ID = z.string().meta({ description: "A short id." });

const ONCE_KEY = {
  idempotency_key: z.string().nullish().meta({
    description:
      "A random text of yours. The same call with the same text is done once, however often it is made: use one when you don't know whether a call has been done.",
  }),
};

const EDITED = z.object({
  results: z.array(
    z.object({
      op: z.string(),
      id: ID.nullable().meta({ description: "`null` for a new node of a dry run." }),
      ids: z.array(ID).optional().meta({ description: "All nodes that a create has made." }),
    }),
  ),
  handles: z.record(z.string(), ID.nullable()),
});

type Edited = z.infer<typeof EDITED>;

export const outlineEdit = defineTool({
  name: "outline_edit",
  title: "Edit the outline",
  description:
    "Does operations in their order, all of them or none: create (with `children`, and `as` to name a new node for later operations), update, move, complete, uncomplete, delete, mirror (the same line in another place too), remove_mirror. " +
    "What is made or moved comes first in its parent: give `position` `bottom`, or `children`, to what is to stay in the order in which you write it. " +
    `${MARKDOWN} What is deleted waits in the trash of the owner, who alone can take it back. ` +
    "Read what you are about to change with outline_read first, and use its ids. " +
    "With `dry_run` all of it is judged and nothing is done: use that before you delete. To note down one thing, use outline_add. " +
    IS_DATA,
  isWriting: true,
  isDestructive: true,
  input: BATCH.extend(ONCE_KEY).strict(),
  components: { BatchOperation: BATCH_OPERATION, BatchDraft: BATCH_DRAFT },
  output: EDITED,
  async run({ idempotency_key: key, ...input }, call) {
    const misread = misreadIn(input.operations);
    if (misread !== undefined) return misread;
    const done = await jsonOf(batchOperations, input, key, call);
    if (done.kind === "problem") return done;
    const output = shortened(done.value as Edited);
    return { kind: "answer", output, text: textOf(output, input.dry_run ?? false) };
  },
});

export const outlineAdd = defineTool({
  name: "outline_add",
  title: "Add to the outline",
  description:
    "Notes something down as a new node, first in the inbox or in `to`. Each part of the text after a blank line becomes a child of it. " +
    `${MARKDOWN} ` +
    "Use it for a thought or a task; use outline_edit for more than one, and to change what is there. " +
    IS_DATA,
  isWriting: true,
  isDestructive: false,
  input: z.strictObject({
    text: z.string().meta({ description: "Markdown." }),
    to: z.string().nullish().meta({
      description: "An id, `today`, `tomorrow`, a date, a shortcut; the inbox when left out.",
    }),
    ...ONCE_KEY,
  }),
  output: z.object({ id: ID }),
  async run({ text, to, idempotency_key: key }, call) {
    const list = listProblem(text);
    if (list !== undefined) return problem("invalid_request", `text: ${list}.`);
    const body = { name: text, parent_id: to ?? "inbox" };
    const done = await jsonOf(createNode, body, key, call);
    if (done.kind === "problem") return done;
    const id = shortId((done.value as { readonly item_id: string }).item_id);
    return { kind: "answer", output: { id }, text: `Added ^${id}.` };
  },
});

/** What is done at once is done whether or not the client has left. */
const NEVER = (): (() => void) => () => undefined;

/** Does an operation of the API that takes a body, and reads what it answers. */
async function jsonOf(
  operation: Operation,
  body: unknown,
  key: string | null | undefined,
  { principal, service }: ToolCall,
): Promise<{ readonly kind: "json"; readonly value: unknown } | Problem> {
  const wrong = onceProblem(key ?? undefined, true);
  if (wrong !== undefined) return wrong;
  const once =
    typeof key === "string" ? onceOf(principal, key, [operation.id, ...saidBy(body)]) : undefined;
  const bare = { id: "", queryText: "", headers: {}, headersOnly: false };
  const asked = { ...bare, address: () => undefined, onLeave: NEVER };
  const call = { ...asked, principal, once, body };
  const answer: Answer = await operation.handle(call, service);
  if (typeof answer === "string") return { kind: "json", value: JSON.parse(answer) };
  if ("kind" in answer && answer.kind === "problem") return answer;
  if ("kind" in answer && answer.kind === "replayed") {
    return { kind: "json", value: JSON.parse(answer.text) };
  }
  throw new Error(`${operation.id} answers no short JSON`);
}

/** The values in a body, in an order that no other body has: they may be deeper than JSON is written. */
function* saidBy(body: unknown): Generator<string> {
  const pending = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) yield JSON.stringify(value) ?? "";
    else {
      yield Array.isArray(value) ? `[${value.length}` : `{${JSON.stringify(Object.keys(value))}`;
      for (const each of Object.values(value)) pending.push(each);
    }
  }
}

function shortId<Id extends string | null>(id: Id): Id | string {
  return id === null ? id : id.slice(-SHORT_ID_LENGTH);
}

function shortened({ results, handles }: Edited): Edited {
  return {
    results: results.map(({ op, id, ids }) => ({
      op,
      id: shortId(id),
      ...(ids !== undefined && { ids: ids.map((each) => shortId(each)) }),
    })),
    handles: Object.fromEntries(Object.entries(handles).map(([name, id]) => [name, shortId(id)])),
  };
}

function textOf({ results, handles }: Edited, isDry: boolean): string {
  const counts = new Map<string, number>();
  for (const { op } of results) counts.set(op, (counts.get(op) ?? 0) + 1);
  const what = [...counts].map(([op, count]) => `${op} ${count}`).join(", ");
  const named = Object.entries(handles).map(([name, id]) => ` ${name} is ${id ?? "not made"}.`);
  return `${isDry ? "Could be done, nothing is done" : "Done"}: ${what}.${named.join("")}`;
}
