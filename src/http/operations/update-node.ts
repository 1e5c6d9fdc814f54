import { z } from "zod";
import { inOneGo } from "../../core/in-one-go.ts";
import type { LinkIndex } from "../../core/search/link-index.ts";
import { excessOfNote, excessOfUpdatedName } from "../../core/text/text-excess.ts";
import { DONE, WANTED_LAYOUT, named, NODE_REFERENCE } from "../api-schemas.ts";
import { updateWithLinks } from "../edits/update-with-links.ts";
import { given } from "../given.ts";
import { staleProblem } from "../answer/entity-tag.ts";
import type { Caller } from "../once.ts";
import { defineOperation, DONE_ANSWER, type Answer } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { type Service, writing, writingInSlices } from "../service.ts";
import {
  baseProblem,
  excessProblem,
  hasLongText,
  isLongText,
  textSizeProblem,
} from "../text-size.ts";

const BODY = named(
  "UpdateNode",
  z.object({
    name: z.string().nullish().meta({ description: "Text with markdown, on one line." }),
    layoutMode: WANTED_LAYOUT.nullish(),
    note: z.string().nullish().meta({ description: 'Cleared by `""` and `null`.' }),
    completed: z.boolean().nullish().meta({ description: "Beats the prefix of `name`." }),
    base_name: z.string().nullish().meta({
      description: "The name as it was answered, which `name` was made from: see above.",
    }),
    base_note: z.string().nullish().meta({
      description: "The note as it was answered, which `note` was made from, `null` too.",
    }),
  }),
);

/** Their links are read in less than a millisecond. */
const FEW_NODES = 2000;

type UpdateBody = z.infer<typeof BODY>;

interface UpdateCall {
  readonly id: string;
  readonly body: UpdateBody;
  readonly ifMatch: string | undefined;
}

export const updateNode = defineOperation({
  id: "updateNode",
  method: "POST",
  path: "/api/v1/nodes/:id",
  tag: "Nodes",
  summary: "Update a node",
  description:
    "Changes what is given and leaves the rest. `name` and `note` are what the node says afterwards, " +
    "whatever others have written since they were read. Who wants to keep that sends what was read as " +
    "`base_name` and `base_note`: then only the difference is applied. Links to the node that are called " +
    "by its name get the new one, where the key reaches them.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  comparesNode: true,
  body: BODY,
  takesTexts: true,
  answer: DONE,
  example: { name: "Buy *oat* milk" },
  problems: ["not_found", "too_large", "outline_full"],
  run({ caller, id, body, ifMatch }, service) {
    const wrong = baseProblem(body) ?? textSizeProblem(body, service.limits.textBytes);
    if (wrong !== undefined) return wrong;
    return runUpdate(service, caller, { id, body, ifMatch });
  },
});

/** In one go where that is short work, and who links to what is known already or soon. */
async function runUpdate(
  service: Service,
  caller: Caller,
  { id, body, ifMatch }: UpdateCall,
): Promise<Answer> {
  const { searchTexts } = service.documents;
  const work = (view: ScopedOutline) =>
    update(view, searchTexts.of(view.outline).links, { id, body, ifMatch });
  const mayTakeLong = (view: ScopedOutline): boolean => {
    const { outline } = view;
    const key = view.node(id);
    if (key !== undefined && isLongText(outline.textLength(key))) return true;
    const { links } = searchTexts.of(outline);
    return typeof body.name === "string" && outline.tree.knownCount > FEW_NODES && !links.isBuilt;
  };
  const atOnce = hasLongText(body)
    ? undefined
    : await writing(service, caller, (view) =>
        mayTakeLong(view) ? undefined : inOneGo(work(view)),
      );
  const answer = atOnce ?? (await writingInSlices(service, caller, work));
  searchTexts.settle();
  return answer;
}

/** Updates a node with a rest after each step that takes long when texts are long. */
function* update(
  view: ScopedOutline,
  links: LinkIndex,
  { id, body, ifMatch }: UpdateCall,
): Generator<void, Answer> {
  const { name, base_name: base, note, base_note: noteBase, layoutMode: layout, completed } = body;
  for (const [field, text] of [
    ["note", note],
    ["base_name", base],
    ["base_note", noteBase],
  ] as const) {
    const excess = excessProblem(field, excessOfNote(text ?? ""));
    if (excess !== undefined) return excess;
    yield;
  }
  const key = view.node(id);
  const held = key && view.heldBy(key);
  if (key === undefined || held === undefined) return NO_SUCH_NODE;
  const stale = staleProblem(view, key, ifMatch);
  if (stale !== undefined) return stale;
  yield;
  const isCode = (layout ?? view.outline.shape(held)?.layout) === "code-block";
  const excess = excessProblem("name", excessOfUpdatedName(name ?? "", isCode));
  if (excess !== undefined) return excess;
  yield;
  const updated = yield* updateWithLinks(view, links, held, {
    ...given({ name, layout, completed, base }),
    ...(note === undefined ? undefined : { note, noteBase }),
  });
  return updated.kind === "ok" ? DONE_ANSWER : problemOfRefusal(updated);
}
