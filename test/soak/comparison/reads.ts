import * as Y from "yjs";
import { nodeIdOf, ROOT, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import type { TestService } from "../../support/service.ts";
import { keyIn, Viewer } from "./view.ts";

/** What is asked for: a node, what is directly below a place, or everything. */
export type Question =
  | { readonly kind: "retrieve"; readonly key: NodeKey }
  | { readonly kind: "list"; readonly parent: NodeKey }
  | { readonly kind: "export" };

/** The JSON of each node in an answer, in its order. */
export type Answer = ReadonlyMap<NodeKey, string>;

export type Ask = (question: Question) => Promise<Answer>;

/** Asks the API. */
export function askRest(service: TestService, outline: OutlineId): Ask {
  return async (question) => {
    const { status, body } = await service.request("GET", pathOf(question, outline));
    if (question.kind === "retrieve" && status === 404) return new Map();
    if (question.kind === "list" && status === 404) return new Map();
    if (status !== 200) throw new Error(`${question.kind}: ${status}`);
    const { node, nodes = [node] } = body as { readonly node?: Shown; readonly nodes?: Shown[] };
    // What is parsed and written again is the same text.
    return new Map(
      nodes.flatMap((each) =>
        each === undefined ? [] : [[keyIn(each.id), JSON.stringify(each)] as const],
      ),
    );
  };
}

/** Answers from a copy that is always one append behind. */
export function askLaggard(service: TestService, id: OutlineId): Ask {
  const doc = new Y.Doc();
  const viewer = new Viewer(Outline.attach(doc, { id, now: Date.now, random: Math.random }));
  let late: readonly Uint8Array[] = [];
  service.documents.subscribe(id, {
    onDurable({ updates }) {
      for (const update of late) Y.applyUpdate(doc, update);
      late = updates;
    },
    onLost: () => undefined,
  });
  return (question) => {
    const { nodes, children } = viewer.view();
    const keysOf = (): readonly NodeKey[] => {
      switch (question.kind) {
        case "retrieve":
          return [question.key];
        case "list":
          return children.get(question.parent) ?? [];
        case "export":
          return [...nodes.keys()];
      }
    };
    return Promise.resolve(
      new Map(
        keysOf().flatMap((key) => {
          const json = nodes.get(key);
          return json === undefined ? [] : [[key, json] as const];
        }),
      ),
    );
  };
}

/** Keeps what was once answered for a node until its name is another one. */
export function askForgetful(ask: Ask): Ask {
  const kept = new Map<NodeKey, string>();
  const nameIn = (json: string): unknown => (JSON.parse(json) as { readonly name: string }).name;
  return async (question) => {
    const answer = new Map(await ask(question));
    for (const [key, json] of answer) {
      const before = kept.get(key);
      if (before !== undefined && nameIn(before) === nameIn(json)) answer.set(key, before);
      else kept.set(key, json);
    }
    return answer;
  };
}

interface Shown {
  readonly id: string;
}

function pathOf(question: Question, outline: OutlineId): string {
  switch (question.kind) {
    case "retrieve":
      return `/api/v1/nodes/${nodeIdOf(outline, question.key)}`;
    case "list": {
      const below = question.parent === ROOT ? "None" : nodeIdOf(outline, question.parent);
      return `/api/v1/nodes?parent_id=${below}`;
    }
    case "export":
      return "/api/v1/nodes-export";
  }
}
