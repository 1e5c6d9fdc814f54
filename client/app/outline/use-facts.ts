import type { NodeKey } from "../../../src/core/node-key.ts";
import { useRead } from "../state/use-read.ts";
import type { Workspace } from "../state/workspace.ts";
import { factsOf, type NodeFacts } from "./rows/node-facts.ts";

/** The facts of one node; the component renders anew when they change, and not when text does. */
export function useFacts({ replica, nodes }: Workspace, key: NodeKey): NodeFacts {
  const read = (): NodeFacts => factsOf(replica.outline, key);
  useRead(
    () => JSON.stringify(read()),
    (look) => nodes.watch(key, look),
    [nodes, key],
  );
  return read();
}
