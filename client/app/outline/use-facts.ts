import { useLayoutEffect, useState } from "preact/hooks";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Workspace } from "../state/workspace.ts";
import { factsOf, type NodeFacts } from "./node-facts.ts";

/** The facts of one node; the component renders anew when they change, and not when text does. */
export function useFacts(workspace: Workspace, key: NodeKey): NodeFacts {
  const read = (): NodeFacts => factsOf(workspace.replica.outline, key);
  const [, setFacts] = useState(read);
  useLayoutEffect(() => {
    const update = (): void => setFacts((before) => unlessSame(before, read()));
    update();
    return workspace.nodes.watch(key, update);
  }, [workspace, key]);
  return read();
}

function unlessSame(before: NodeFacts, now: NodeFacts): NodeFacts {
  const isSame =
    before.layout === now.layout &&
    before.isCompleted === now.isCompleted &&
    before.hasNote === now.hasNote &&
    before.isMirror === now.isMirror;
  return isSame ? before : now;
}
