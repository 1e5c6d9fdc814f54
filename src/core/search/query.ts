import type { LetterPairs } from "./letter-pairs.ts";

/** A stretch of time in Unix seconds, the end not included. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** What a node may be asked for. Texts are folded. */
export type Criterion =
  | { readonly kind: "text"; readonly text: string; readonly pairs: LetterPairs }
  /** With its mark. */
  | { readonly kind: "tag"; readonly tag: string; readonly pairs: LetterPairs }
  | { readonly kind: "todo" }
  | { readonly kind: "complete" }
  | { readonly kind: "note" }
  | { readonly kind: "changed"; readonly span: TimeSpan }
  | { readonly kind: "created"; readonly span: TimeSpan };

export interface QueryTerm {
  readonly criterion: Criterion;
  /** Whether it is looked for what does not fulfil the criterion. */
  readonly isNot: boolean;
}

/** A search: one term of each group holds. Without groups everything is found. */
export interface Query {
  readonly groups: readonly (readonly QueryTerm[])[];
  /** Whether texts and tags are looked for in notes only. */
  readonly inNotes: boolean;
}
