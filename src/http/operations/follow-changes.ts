import { Readable } from "node:stream";
import { z } from "zod";
import { CURSOR, named, NODE, NODE_ID, PARENT_REFERENCE } from "../api-schemas.ts";
import { eventStream } from "../changes/event-stream.ts";
import { toldChanges } from "../changes/told-changes.ts";
import { CURSOR_EXPIRED } from "../answer/cursor.ts";
import { defineOperation } from "../operation.ts";

/** Nodes of an event. */
const MOST = 500;

export const followChanges = defineOperation({
  id: "followChanges",
  method: "GET",
  path: "/api/v1/events",
  tag: "Nodes",
  summary: "Follow what changes",
  description:
    "Server-sent events, as soon as something has changed: `event: changes` tells in `data` what `changes` " +
    "answers, with the cursor as `id`. With `more` the rest follows at once. `event: reset` says that the " +
    "cursor is too old, or of before a backup was restored: begin again with an export; what changes from " +
    "then on follows. Who is cut off comes back with the last `id` in the header `Last-Event-ID`, which " +
    "counts more than `since`, as an `EventSource` does; without both it begins now. A comment comes every " +
    "15 seconds, and the stream ends after an hour, with the key, and when `root` is no longer there.",
  needs: { write: false, wholeOutline: false },
  isEndless: true,
  query: z.object({
    since: CURSOR.optional().meta({
      description: "A cursor of an event, or of `changes`, with the same `root`.",
    }),
    root: PARENT_REFERENCE.optional().meta({
      description: "Only what concerns this node and what is below it.",
    }),
    fields: z
      .enum(["ids", "nodes"])
      .optional()
      .meta({ description: "What `changed` holds; ids when it is left out." }),
  }),
  answer: named(
    "ChangesEvent",
    z.strictObject({
      changed: z.array(z.union([NODE, NODE_ID])),
      removed: z.array(NODE_ID),
      more: z.boolean().meta({ description: "Whether another event follows at once." }),
    }),
  ),
  problems: ["not_found", "invalid_cursor", "rate_limited"],
  async run({ principal, query, lastEventId, headersOnly, onLeave }, service) {
    const { root, fields: form = "ids" } = query;
    const following = { root, since: lastEventId ?? query.since, limit: MOST };
    if (!headersOnly) return eventStream(service, { principal, following, form, onLeave });
    const told = await toldChanges(service, principal, following);
    const isRefused = told.kind === "problem" && told !== CURSOR_EXPIRED;
    return isRefused ? told : { kind: "events", stream: Readable.from([]) };
  },
});
