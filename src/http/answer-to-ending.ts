import type { EndedByAsker } from "../accounts/accounts.ts";
import { KEY_ENDED } from "./intake/in-force.ts";
import { type Answer, DONE_ANSWER } from "./operation.ts";

/** What is answered to who wants keys or sessions to end. @param unknown when there is none such */
export function answerToEnding(ended: EndedByAsker, unknown: Answer): Answer {
  switch (ended) {
    case "done":
      return DONE_ANSWER;
    case "unknown":
      return unknown;
    case "asker_ended":
      return KEY_ENDED;
  }
}
