import { z } from "zod";
import { CURSOR, limitOf, named, NODE, NODE_ID, PARENT_REFERENCE } from "../api-schemas.ts";
import { isEmpty, tellingPieces } from "../changes/changes-json.ts";
import { type Following, toldChanges, type ToldChanges } from "../changes/told-changes.ts";
import type { Held } from "../changes/held-requests.ts";
import { endOf } from "../intake/in-force.ts";
import { defineOperation } from "../operation.ts";
import type { Problem } from "../problem.ts";
import { streamingPieces } from "../service.ts";

const STANDARD = 500;
const MOST = 5000;
const MOST_WAIT_SEC = 60;

const QUERY = z.object({
  since: CURSOR.optional().meta({
    description:
      "The `cursor` of the answer before, with the same `root`. Without it nothing is told but the cursor " +
      "of now: ask for that first, then export, then follow.",
  }),
  root: PARENT_REFERENCE.optional().meta({
    description: "Only what concerns this node and what is below it.",
  }),
  limit: limitOf(STANDARD, MOST).optional(),
  wait: z
    .string()
    .regex(/^[0-9]+$/, "expected a whole number from 0 on")
    .transform((digits) => Math.min(Number(digits), MOST_WAIT_SEC))
    .optional()
    .meta({
      description: `Seconds that the answer may wait until there is something to tell; never more than ${MOST_WAIT_SEC}.`,
    }),
  order: z
    .enum(["1"])
    .optional()
    .meta({
      description:
        "With `1` there are `lists`, too: which children each node has in which order, of those for which " +
        "that has changed. The cursor has to be one with `order=1`.",
    }),
  fields: z
    .enum(["ids", "nodes"])
    .optional()
    .meta({ description: "What `changed` holds; nodes when it is left out." }),
});

export const listChanges = defineOperation({
  id: "listChanges",
  method: "GET",
  path: "/api/v1/changes",
  tag: "Nodes",
  summary: "Read what has changed",
  description:
    "Tells what a copy of the outline lacks: which nodes were made, changed, moved, completed or restored " +
    "since a cursor, each once as it is now, with all that is below what came into sight; and which are no " +
    "longer there. Take in `changed` first, then remove each of `removed` with all that your copy has below " +
    "it; nodes that you don't have are to be passed over. `removed` comes with the last page (`more` is " +
    "false). `priority` of siblings is no change: who keeps their order asks for `order=1`. A cursor is " +
    "good for 30 days or 100,000 changes; after that, and when a backup was restored, the answer is 410: begin again with an export.",
  needs: { write: false, wholeOutline: false },
  query: QUERY,
  answer: named(
    "Changes",
    z.strictObject({
      changed: z.array(z.union([NODE, NODE_ID])),
      removed: z.array(NODE_ID),
      lists: z
        .array(z.strictObject({ parent_id: NODE_ID.nullable(), ids: z.array(NODE_ID).nullable() }))
        .optional()
        .meta({
          description:
            "With `order=1`, on the last page: to be taken in behind `removed`. A child that you don't have " +
            "is in the next answer. Of a node with over 1,000 children `ids` is null: list them.",
        }),
      cursor: z.string(),
      more: z.boolean().meta({ description: "Whether to ask again at once, with the new cursor." }),
    }),
  ),
  problems: ["not_found", "invalid_cursor", "cursor_expired", "rate_limited"],
  async run({ principal, query, onLeave }, service) {
    const { wait = 0, fields, root, since, limit = STANDARD, order } = query;
    const following = { root, since, limit, isOrdered: order !== undefined };
    // Without a cursor there is nothing that could be waited for.
    const isHeld = wait > 0 && since !== undefined;
    const held = isHeld ? service.held.hold(principal, wait * 1000) : undefined;
    if (held?.kind === "problem") return held;
    const stopListening = held && onLeave(() => held.leave());
    try {
      const tell = (following: Following) => toldChanges(service, principal, following);
      const told = await untilTold(following, tell, held);
      if (told.kind === "problem") return told;
      const end = endOf(principal, service.now());
      if (end !== undefined) return end;
      const { cursor, more } = told;
      const around = ["{", `,"cursor":${JSON.stringify(cursor)},"more":${more}}`] as const;
      return await streamingPieces(service, principal, around, (view) =>
        tellingPieces(view, told, fields ?? "nodes"),
      );
    } finally {
      stopListening?.();
      held?.end();
    }
  },
});

/** Looks until there is something to tell, or the request can't be held any longer. */
async function untilTold(
  following: Following,
  tell: (following: Following) => Promise<ToldChanges | Problem>,
  held: Held | undefined,
): Promise<ToldChanges | Problem> {
  for (let since = following.since; ;) {
    const told = await tell({ ...following, since });
    if (held === undefined || held.isOver || told.kind === "problem" || !isEmpty(told)) return told;
    if (!told.more) await held.next();
    since = told.cursor;
  }
}
