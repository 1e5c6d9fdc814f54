import { plain } from "./recorded.ts";

/** A node of a document for language models, as the command line tool takes it. */
export interface DocNode {
  readonly tag: string;
  readonly name: string;
  readonly note: string | null;
  /** `bullet` when there is none. */
  readonly layout: string;
  readonly isCompleted: boolean;
  /** Whether it says that it has children that are not in it. */
  readonly hasMore: boolean;
  readonly children: readonly DocNode[];
}

const RESERVED: ReadonlySet<string> = new Set(["d", "c", "l", "x", "+", "m", "ancestors"]);

/** The first key that means nothing else is the short id. */
export function docNode(answer: unknown): DocNode {
  const doc = answer as Readonly<Record<string, unknown>>;
  const [tag = "", name = ""] = Object.entries(doc).find(([key]) => !RESERVED.has(key)) ?? [];
  const { d: note, l: layout, x, c: children } = doc;
  return {
    tag,
    name: plain(String(name)),
    note: typeof note === "string" ? plain(note) : null,
    layout: typeof layout === "string" ? layout : "bullet",
    isCompleted: x === 1,
    hasMore: doc["+"] === 1,
    children: Array.isArray(children) ? children.map((child) => docNode(child)) : [],
  };
}

/** The short ids of what the node is in, from the top on; the last one is taken for its parent. */
export function ancestorsIn(answer: unknown): readonly string[] {
  const { ancestors } = answer as {
    readonly ancestors: readonly Readonly<Record<string, string>>[];
  };
  return ancestors.flatMap((each) => Object.keys(each));
}

/**
 * How the tool looks for what it has just put below a node: that one of the children that it did not
 * see before, which stands where it was to stand.
 */
export function addedBetween(
  before: unknown,
  after: unknown,
  where: { readonly at: "top" | "bottom" } | { readonly behind: string },
): DocNode | undefined {
  const known = new Set(docNode(before).children.map(({ tag }) => tag));
  const { children } = docNode(after);
  const index =
    "behind" in where
      ? children.findIndex(({ tag }) => tag === where.behind) + 1
      : where.at === "top"
        ? 0
        : children.length - 1;
  const found = children[index];
  return found === undefined || known.has(found.tag) ? undefined : found;
}
