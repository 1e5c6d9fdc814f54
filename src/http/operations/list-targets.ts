import { Readable } from "node:stream";
import { z } from "zod";
import { SYSTEM_TARGETS } from "../../core/reference.ts";
import { named, TARGET } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { OneTurn } from "../one-turn.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { reading, streaming } from "../service.ts";

type Target = z.infer<typeof TARGET>;

export const listTargets = defineOperation({
  id: "listTargets",
  method: "GET",
  path: "/api/v1/targets",
  tag: "Targets",
  summary: "List the targets",
  description: "Answers the five system targets, then the shortcuts, oldest first.",
  needs: { write: false, wholeOutline: false },
  answer: named("TargetList", z.strictObject({ targets: z.array(TARGET) })),
  problems: ["not_found"],
  async run({ principal, headersOnly }, service) {
    const found = await reading(service, principal, (view) =>
      view.place(null) === undefined ? NO_SUCH_NODE : shortList(view),
    );
    if (found !== undefined) return found;
    if (headersOnly) return Readable.from([]);
    return streaming(service, principal, "targets", targetsInTurn);
  },
});

/** Undefined when it is too much for one turn: names may be long. */
function shortList(view: ScopedOutline): string | undefined {
  const turn = new OneTurn();
  let list = "";
  for (const target of targetsInTurn(view)) {
    list += list === "" ? target : `,${target}`;
    if (turn.isOver(list.length)) return undefined;
  }
  return `{"targets":[${list}]}`;
}

/** The JSON of the targets one by one. */
function* targetsInTurn(view: ScopedOutline): Generator<string> {
  for (const key of SYSTEM_TARGETS) {
    const node = view.node(key);
    const name = node === undefined ? null : view.name(node);
    yield JSON.stringify({ key, type: "system", name } satisfies Target);
  }
  for (const { key, node } of view.outline.shortcuts()) {
    if (!view.reaches(node)) continue;
    yield JSON.stringify({ key, type: "shortcut", name: view.name(node) } satisfies Target);
  }
}
