import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const place = { id: z.string(), parent: z.string().nullable(), after: z.string().nullable() };
const OperationSchema = z.discriminatedUnion("op", [
  z.object({ op: z.literal("create"), ...place, name: z.string() }),
  z.object({ op: z.literal("rename"), id: z.string(), name: z.string() }),
  z.object({ op: z.literal("move"), ...place }),
  z.object({ op: z.literal("delete"), id: z.string() }),
]);
const CommitSchema = z.object({
  c: z.number(),
  p: z.array(z.number()),
  ops: z.array(OperationSchema),
});

interface TraceNode {
  readonly name: string;
  readonly children: readonly TraceNode[];
}

interface MutableNode {
  name: string;
  parent: string | null;
  readonly children: string[];
}

/** The outline that a recorded history ends with: its first parents' operations, one by one. */
export function lastOutlineOf(file: string | URL): readonly TraceNode[] {
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const commits = lines.map((line) => CommitSchema.parse(JSON.parse(line)));
  const byNumber = new Map(commits.map((commit) => [commit.c, commit]));
  const chain = [];
  for (let commit = commits.at(-1); commit !== undefined;) {
    chain.unshift(commit);
    commit = commit.p[0] === undefined ? undefined : byNumber.get(commit.p[0]);
  }
  const nodes = new Map<string | null, MutableNode>();
  nodes.set(null, { name: "", parent: null, children: [] });
  const node = (id: string | null): MutableNode => {
    const found = nodes.get(id);
    if (found === undefined) throw new Error(`the history has no node ${id}`);
    return found;
  };
  const takeOut = (id: string): void => {
    const { children } = node(node(id).parent);
    children.splice(children.indexOf(id), 1);
  };
  const putIn = (id: string, parent: string | null, after: string | null): void => {
    const { children } = node(parent);
    node(id).parent = parent;
    children.splice(after === null ? 0 : children.indexOf(after) + 1, 0, id);
  };
  for (const operation of chain.flatMap(({ ops }) => ops)) {
    switch (operation.op) {
      case "create":
        nodes.set(operation.id, { name: operation.name, parent: null, children: [] });
        putIn(operation.id, operation.parent, operation.after);
        break;
      case "rename":
        node(operation.id).name = operation.name;
        break;
      case "move":
        takeOut(operation.id);
        putIn(operation.id, operation.parent, operation.after);
        break;
      case "delete":
        takeOut(operation.id);
        break;
    }
  }
  const frozen = (id: string): TraceNode => ({
    name: node(id).name,
    children: node(id).children.map(frozen),
  });
  return node(null).children.map(frozen);
}

/** The markdown of an outline as its authors write it: sections, paragraphs, nested lists. */
export function markdownOfTrace(nodes: readonly TraceNode[]): string {
  const lines: string[] = [];
  const writeItems = (items: readonly TraceNode[], indentation: string): void => {
    for (const { name, children } of items) {
      lines.push(`${indentation}- ${name}`);
      writeItems(children, `${indentation}  `);
    }
  };
  const writeSections = (siblings: readonly TraceNode[], level: number): void => {
    // What stands behind a section would be taken for a part of it.
    const lastLeaf = siblings.findLastIndex(({ children }) => children.length === 0);
    const isSection = (index: number): boolean => index > lastLeaf && level <= 3;
    for (const [index, node] of siblings.entries()) {
      if (!isSection(index)) {
        writeItems([node], "");
        continue;
      }
      lines.push("", `${"#".repeat(level)} ${node.name}`, "");
      writeSections(node.children, level + 1);
    }
  };
  writeSections(nodes, 1);
  return `${lines.join("\n").trim()}\n`;
}

/** The depths of all nodes in document order. */
export function depthsOf(nodes: readonly TraceNode[], depth = 0): number[] {
  return nodes.flatMap(({ children }) => [depth, ...depthsOf(children, depth + 1)]);
}
