import { clientOfBytes } from "../core/yjs/random-client.ts";
import type { LeaseAnswer, LeaseQuestion } from "../protocol/message.ts";

/**
 * What a client of before is told that wants an id to be leased: it goes on under the one that it has,
 * or takes one at random, as clients do today. Nothing is kept of it.
 */
export function answerOfLease(question: LeaseQuestion): LeaseAnswer {
  if (question.kind === "lease_request") {
    return { kind: "lease_granted", client: clientOfBytes(question.secret) };
  }
  const { client, clock } = question;
  return { kind: "lease_kept", client, clock };
}
