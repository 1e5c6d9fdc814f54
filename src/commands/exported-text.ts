import { ROOT } from "../core/node-key.ts";
import type { Outline } from "../core/outline.ts";
import { exportedPieces } from "../formats/exported-pieces.ts";
import type { OutlineFormat } from "../formats/outline-format.ts";
import { separated } from "../http/answer/list-stream.ts";
import { ScopedOutline } from "../http/scoped-outline.ts";
import type { CommandContext } from "./command.ts";
import { readState } from "./read-state.ts";

/** A user's outline as a file, in pieces, and how many nodes it has. */
export async function exportedText(
  context: CommandContext,
  user: string,
  format: OutlineFormat,
): Promise<{ readonly text: Iterable<string>; readonly size: number }> {
  const outline = await readState(context, user);
  return { text: textOf(outline, format, user), size: outline.size };
}

function textOf(outline: Outline, format: OutlineFormat, user: string): Iterable<string> {
  return format === "json"
    ? jsonOf(outline)
    : exportedPieces(outline, format, { from: ROOT, title: user });
}

/** The body that the API answers to an export. */
function* jsonOf(outline: Outline): Generator<string, void> {
  yield '{"nodes":[';
  yield* separated(new ScopedOutline(outline, undefined, () => outline.now()).allInTurn());
  yield "]}";
}
