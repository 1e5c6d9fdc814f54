import { z } from "zod";
import { isReservedKey, type NodeKey } from "../../core/node-key.ts";
import type { OutlineNode } from "../../core/node-reader.ts";
import { htmlOfRichText } from "../../core/text/html.ts";
import { draftOfUpdatedName } from "../../core/text/name.ts";
import { excessOfNote, excessOfUpdatedName } from "../../core/text/text-limits.ts";
import { DONE, LAYOUT_MODE, named, NODE_REFERENCE } from "../api-schemas.ts";
import { given } from "../given.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import type { KnownName, ServedNames } from "../served-names.ts";
import { writing } from "../service.ts";
import { excessProblem, textSizeProblem } from "../text-size.ts";

const BODY = named(
  "UpdateNode",
  z.object({
    name: z.string().nullish().meta({ description: "Text with markdown, on one line." }),
    layoutMode: LAYOUT_MODE.nullish(),
    note: z.string().nullish().meta({ description: 'Cleared by `""` and `null`.' }),
    completed: z.boolean().nullish().meta({ description: "Beats the prefix of `name`." }),
  }),
);

type UpdateBody = z.infer<typeof BODY>;

export const updateNode = defineOperation({
  id: "updateNode",
  method: "POST",
  path: "/api/v1/nodes/:id",
  tag: "Nodes",
  summary: "Update a node",
  description:
    "Changes what is given and leaves the rest. A new `name` is merged: what others typed since " +
    "this key last read the node stays in its place.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  body: BODY,
  answer: DONE,
  example: { name: "Buy *oat* milk" },
  problems: ["not_found", "too_large"],
  async run({ principal, id, body }, service) {
    const tooLarge =
      textSizeProblem(body, service.limits.textBytes) ??
      excessProblem("note", excessOfNote(body.note ?? ""));
    if (tooLarge !== undefined) return tooLarge;
    const result = await writing(service, principal, (view) => {
      const key = view.node(id);
      const before = key === undefined ? undefined : view.outline.node(key);
      if (key === undefined || before === undefined) return NO_SUCH_NODE;
      const isCode = (body.layoutMode ?? before.layout) === "code-block";
      const excess = excessProblem("name", excessOfUpdatedName(body.name ?? "", isCode));
      if (excess !== undefined) return excess;
      const known = knownName(service.servedNames, principal.keyId, key);
      const sent = nameSent(body, before);
      const isKnown = known !== undefined && (sent === known.name || body.name === known.name);
      // A program that sends back the name it was served has not changed it; one that repeats what it
      // has written itself wants that, whatever others have made of it.
      const name = known?.isServed === true && body.name === known.name ? undefined : body.name;
      const base = isKnown && !known.isServed ? undefined : known?.name;
      const { layoutMode: layout, note, completed } = body;
      const updated = view.outline.update(key, {
        ...given({ name, layout, completed, base }),
        ...(note === undefined ? undefined : { note }),
      });
      return updated.kind === "ok"
        ? { kind: "updated" as const, key, written: isKnown && known.isServed ? undefined : sent }
        : problemOfRefusal(updated);
    });
    if (result.kind === "problem") return result;
    const { key, written } = result;
    // Only now: the caller knows of the new name when it is durable.
    if (written !== undefined) service.servedNames.remember(principal.keyId, key, written, false);
    return DONE_ANSWER;
  },
});

/**
 * The name that the caller started from, when it is known. A system node that was deleted comes back
 * under the same key with a name that has nothing to do with the earlier one, so these have none.
 */
function knownName(names: ServedNames, keyId: string, node: NodeKey): KnownName | undefined {
  return isReservedKey(node) ? undefined : names.get(keyId, node);
}

/** The HTML of what the caller wrote, without what others typed meanwhile. */
function nameSent({ name, layoutMode }: UpdateBody, before: OutlineNode): string | undefined {
  if (name === undefined || name === null || name === before.name) return name ?? undefined;
  const draft = draftOfUpdatedName(name, before.layout, layoutMode ?? undefined);
  return htmlOfRichText(draft.text);
}
