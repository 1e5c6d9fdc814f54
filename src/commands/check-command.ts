import type { ItemOf } from "../admin/admin-operations.ts";
import type { OutlineId } from "../core/node-key.ts";
import { type Command, type CommandContext, CommandError } from "./command.ts";
import { runOperation } from "./run-operation.ts";
import { StoredOutline } from "./stored-outline.ts";

/** Checked here and not in the server, which only passes on what it has stored. */
export const CHECK_COMMAND: Command = {
  name: "check",
  arguments: [],
  summary: "Verifies every stored outline: log, snapshot, index, invariants",
  options: ["data"],
  async run(context) {
    const { out, err } = context;
    const outlines: ItemOf<"outlines">[] = [];
    await runOperation(context, "outlines", {}, { onItem: (item) => void outlines.push(item) });
    let errors = 0;
    let nodes = 0;
    for (const { outline, user } of outlines) {
      const checked = await check(context, outline);
      nodes += checked.nodes;
      if (user === null) out.write(`${outline}: note: it belongs to no user\n`);
      for (const { text, isError } of checked.findings) {
        const owner = user === null ? "" : ` of ${user}`;
        out.write(`${outline}${owner}: ${isError ? "" : "note: "}${text}\n`);
        if (isError) errors++;
      }
    }
    const summary = errors === 0 ? "nothing wrong" : `${errors} findings`;
    err.write(`Checked ${outlines.length} outlines with ${nodes} nodes: ${summary}.\n`);
    return errors === 0 ? 0 : 1;
  },
};

interface Checked {
  readonly nodes: number;
  readonly findings: readonly { readonly text: string; readonly isError: boolean }[];
}

async function check(context: CommandContext, outline: OutlineId): Promise<Checked> {
  const stored = new StoredOutline(outline, context.now);
  try {
    await runOperation(context, "stored", { outline }, { onItem: (item) => stored.add(item) });
  } catch (error) {
    // A refusal is the finding: the entries of this outline can't be read.
    if (!(error instanceof CommandError)) throw error;
    return { nodes: 0, findings: [{ text: error.message, isError: true }] };
  }
  return { nodes: stored.size, findings: stored.findings() };
}
