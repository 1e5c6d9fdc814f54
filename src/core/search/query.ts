import type { NodeKey } from "../node-key.ts";
import type { LetterPairs } from "./letter-pairs.ts";

/** A stretch of time in Unix seconds, the end not included. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** A stretch of days, as texts that dates (`2026-11-20`, `2026-11-20 17:00`) compare with; the end not included. */
export interface DateSpan {
  readonly from: string;
  readonly to: string;
}

/** What a node may be asked for. Texts are folded. */
export type Criterion =
  | { readonly kind: "text"; readonly text: string }
  /** With its mark. */
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "todo" }
  | { readonly kind: "complete" }
  | { readonly kind: "note" }
  /** To anywhere. */
  | { readonly kind: "link" }
  /** Has a link to this node. */
  | { readonly kind: "linksTo"; readonly target: NodeKey }
  | { readonly kind: "date" }
  | { readonly kind: "due"; readonly span: DateSpan }
  /** Without one: any, and what is highlighted. */
  | { readonly kind: "colour"; readonly colour: string | undefined }
  | { readonly kind: "changed"; readonly span: TimeSpan }
  | { readonly kind: "created"; readonly span: TimeSpan };

export interface QueryTerm {
  readonly criterion: Criterion;
  /** A node whose text lacks any of these does not fulfil the criterion. */
  readonly pairs: LetterPairs;
  /** Whether it is looked for what does not fulfil the criterion. */
  readonly isNot: boolean;
}

/** A search: one term of each group holds. Without groups everything is found. */
export interface Query {
  readonly groups: readonly (readonly QueryTerm[])[];
  /** Whether texts and tags are looked for in notes only. */
  readonly inNotes: boolean;
  /** What one of the nodes that it is below has to be, of those that are looked through. */
  readonly above?: Query;
}

/** How many terms there are, of everything that it asks for. */
export function termsOf({ groups, above }: Query): number {
  const own = groups.reduce((terms, group) => terms + group.length, 0);
  return own + (above === undefined ? 0 : termsOf(above));
}
