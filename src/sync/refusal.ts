import { type OutlineFull, sentenceOfFull } from "../core/room/outline-full.ts";
import type { Receipt } from "../documents/replica/received-updates.ts";
import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";

/** Why an update was not applied. */
export interface Refusal {
  /** Stable, part of the protocol. */
  readonly code: string;
  /** For a person. */
  readonly reason: string;
  /** With what a session is closed that does not outlive the refusal. */
  readonly closeCode: CloseCode;
  /** The same update may be taken later: who understands that is to come again. */
  readonly passes?: boolean;
}

type RefusalReason =
  /** What the document says. */
  | Extract<Receipt, { kind: "refused" }>["reason"]
  /** It builds on what the document does not have. */
  | "missing";

export const REFUSALS: { readonly [Reason in RefusalReason]: Refusal } = {
  malformed: {
    code: "malformed",
    reason: "The update is malformed.",
    closeCode: CLOSE_CODE.malformed,
  },
  not_allowed: {
    code: "not_allowed",
    reason: "The update has content that has no place in an outline.",
    closeCode: CLOSE_CODE.malformed,
  },
  too_large: {
    code: "too_large",
    reason: "The update is too large.",
    closeCode: CLOSE_CODE.tooLarge,
  },
  foreign_client: {
    code: "foreign_client",
    reason: "The update writes under a client id that belongs to somebody else.",
    closeCode: CLOSE_CODE.forbidden,
  },
  missing: {
    code: "missing",
    reason: "The update builds on others that the server does not have.",
    closeCode: CLOSE_CODE.malformed,
  },
  conflict: {
    code: "conflict",
    reason: "The server has other content under the same ids.",
    closeCode: CLOSE_CODE.conflict,
  },
  read_only: {
    code: "read_only",
    reason: "The key may read only.",
    closeCode: CLOSE_CODE.forbidden,
  },
};

/** There is no room for it in the outline, now: what makes that smaller is still taken. */
export function refusalOfFull(full: OutlineFull): Refusal {
  return {
    code: "outline_full",
    reason: sentenceOfFull(full),
    closeCode: CLOSE_CODE.tooLarge,
    passes: true,
  };
}
