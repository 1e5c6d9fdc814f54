import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import { SYSTEM_TARGETS } from "../../core/reference.ts";
import { named, TARGET } from "../api-schemas.ts";
import type { ListItem } from "../answer/list-stream.ts";
import { defineOperation } from "../operation.ts";
import { OneTurn } from "../answer/one-turn.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { jsonPieces } from "../answer/rendered-nodes.ts";
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
  async run({ principal, caller }, service) {
    const found = await reading(service, caller, (view) =>
      view.place(null) === undefined ? NO_SUCH_NODE : shortList(view),
    );
    if (found !== undefined) return found;
    return streaming(service, principal, "targets", targetsInTurn);
  },
});

/** Undefined when it is too much for one turn: names may be long. */
function shortList(view: ScopedOutline): string | undefined {
  const turn = new OneTurn();
  let list = "";
  for (const target of targetsInTurn(view)) {
    if (typeof target !== "string") return undefined;
    list += list === "" ? target : `,${target}`;
    if (turn.isOver(list.length)) return undefined;
  }
  return `{"targets":[${list}]}`;
}

/** The JSON of the targets one by one. */
function* targetsInTurn(view: ScopedOutline): Generator<ListItem> {
  for (const key of SYSTEM_TARGETS) yield targetOf(view, key, "system", view.node(key));
  for (const { key, node } of view.outline.shortcuts()) {
    if (view.reaches(node)) yield targetOf(view, key, "shortcut", node);
  }
}

function targetOf(
  view: ScopedOutline,
  key: string,
  type: Target["type"],
  node: NodeKey | undefined,
): ListItem {
  if (node !== undefined && view.isLong(node)) return longTarget(key, type, view.namePieces(node));
  const name = node === undefined ? null : view.name(node);
  return JSON.stringify({ key, type, name } satisfies Target);
}

function* longTarget(key: string, type: Target["type"], name: Iterable<string>): Generator<string> {
  yield `${JSON.stringify({ key, type }).slice(0, -1)},"name":"`;
  yield* jsonPieces(name);
  yield `"}`;
}
