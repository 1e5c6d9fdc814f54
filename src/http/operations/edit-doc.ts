import { editDoc } from "../llm-doc/doc-edit.ts";
import { MOST_NODES } from "../edits/edit-plan.ts";
import { DOC_EDIT, DOC_EDITED } from "../llm-doc/doc-schemas.ts";
import { defineOperation } from "../operation.ts";
import { writingInSlices } from "../service.ts";

/** Of each node the four fields, its brackets and what programs send besides. */
const VALUES_OF_ITEM = 10;

export const editDocument = defineOperation({
  id: "editDoc",
  method: "POST",
  path: "/api/llm/doc/edit",
  tag: "Nodes",
  summary: "Edit several nodes, for language models",
  description:
    "Does all operations in their order, or none: `insert` makes nodes with what is below them, `update` " +
    "changes what is given, `delete` and `move` take along what is below. A missing inbox or calendar " +
    "node that something is put under is made.",
  needs: { write: true, wholeOutline: false },
  body: DOC_EDIT,
  takesTexts: true,
  maxValues: MOST_NODES * VALUES_OF_ITEM,
  answer: DOC_EDITED,
  example: {
    root: "today",
    operations: [
      { op: "insert", under: "today", items: [{ n: "Trip", c: [{ n: "book", l: "todo" }] }] },
    ],
  },
  problems: ["invalid_parent", "not_found", "too_large", "outline_full"],
  async run({ caller, body }, service) {
    const { root, operations } = body;
    const { searchTexts } = service.documents;
    const { textBytes } = service.limits;
    const answer = await writingInSlices(service, caller, (view) =>
      editDoc(view, searchTexts.of(view.outline).links, root, operations, textBytes),
    );
    searchTexts.settle();
    return answer;
  },
});
