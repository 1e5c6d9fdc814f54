import type { ItemOf } from "../admin/admin-operations.ts";
import type { OutlineId } from "../core/node-key.ts";
import { type Command, type CommandContext, CommandError } from "./command.ts";
import { counted } from "./counted.ts";
import { printable } from "./printable.ts";
import { ProgressBar, runOperation } from "./run-operation.ts";

/** Checked here and not in the server, which only passes on what it has stored. */
export const CHECK_COMMAND: Command = {
  name: "check",
  arguments: [],
  summary: "Verifies every stored outline: log, snapshot, index, invariants",
  options: ["data"],
  need: "read",
  async run(context) {
    const { out, err } = context;
    const broken = new Set<OutlineId>();
    let errors = 0;
    const report = (outline: OutlineId | null, text: string, isError: boolean): void => {
      out.write(`${outline ?? "the store"}: ${isError ? "" : "note: "}${printable(text)}\n`);
      if (isError) errors++;
      if (isError && outline !== null) broken.add(outline);
    };
    const onFinding = (item: ItemOf<"verify">) => report(item.outline, item.finding, true);
    await runOperation(context, "verify", {}, { label: "Records", onItem: onFinding });

    const outlines: ItemOf<"outlines">[] = [];
    await runOperation(context, "outlines", {}, { onItem: (item) => void outlines.push(item) });
    if (outlines.length === 0) report(null, "there is no user and no outline in it", true);
    const progress = new ProgressBar(context, "Outlines");
    let nodes = 0;
    for (const [done, { outline, user }] of outlines.entries()) {
      progress.update(done, outlines.length);
      if (user === null) report(outline, "it belongs to no user", false);
      // What can't be read can't be checked further.
      if (broken.has(outline)) continue;
      const checked = await check(context, outline);
      nodes += checked.nodes;
      for (const { text, isError } of checked.findings) report(outline, text, isError);
    }
    progress.stop();
    const result = errors === 0 ? "nothing is wrong" : counted(errors, "finding");
    const all = `${counted(outlines.length, "outline")} with ${counted(nodes, "node")}`;
    err.write(`Checked ${all}: ${result}.\n`);
    return errors === 0 ? 0 : 1;
  },
};

interface Checked {
  readonly nodes: number;
  readonly findings: readonly { readonly text: string; readonly isError: boolean }[];
}

async function check(context: CommandContext, outline: OutlineId): Promise<Checked> {
  // Other commands start faster without Yjs.
  const { StoredOutline } = await import("./stored-outline.ts");
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
