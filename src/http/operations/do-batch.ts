import { BATCH, BATCH_DONE } from "../batch/batch-schemas.ts";
import { doBatch } from "../batch/do-batch.ts";
import { MOST_NODES } from "../edits/edit-plan.ts";
import { defineOperation } from "../operation.ts";
import { writingInSlices } from "../service.ts";

/** Of each operation its fields, its brackets and those in it. */
const VALUES_OF_OPERATION = 15;

export const batchOperations = defineOperation({
  id: "doBatch",
  method: "POST",
  path: "/api/v1/batch",
  tag: "Nodes",
  summary: "Do several operations at once",
  description:
    "Does up to 10,000 operations in their order, each of which sees what those before it did: all of " +
    "them, or none. A refusal says which one it was. A new node can be given a name with `as`, which " +
    "stands for its id in the operations behind it.",
  needs: { write: true, wholeOutline: false },
  body: BATCH,
  takesTexts: true,
  maxValues: MOST_NODES * VALUES_OF_OPERATION,
  answer: BATCH_DONE,
  example: {
    operations: [
      { op: "create", parent_id: "inbox", name: "Trip", as: "$trip" },
      { op: "create", parent_id: "$trip", name: "- [ ] book a **train**" },
    ],
  },
  problems: ["invalid_parent", "not_found", "conflict", "too_large", "outline_full"],
  async run({ caller, body }, service) {
    const { searchTexts } = service.documents;
    const { textBytes } = service.limits;
    const isDry = body.dry_run ?? false;
    const options = { isDry, textBytes };
    // What changes nothing is judged anew.
    const judged = isDry ? { ...caller, once: undefined } : caller;
    const answer = await writingInSlices(service, judged, (view) =>
      doBatch(view, searchTexts.of(view.outline).links, body.operations, options),
    );
    searchTexts.settle();
    return answer;
  },
});
