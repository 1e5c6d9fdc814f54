import { isInForce, type Principal } from "../../accounts/principal.ts";
import { problem, type Problem } from "../problem.ts";

export const KEY_ENDED = problem("unauthorized", "The API key is not valid any more.");

/**
 * A backup was restored, or the database was away: whether the key still counts has to be asked anew,
 * which the next request does.
 */
const STORE_REPLACED = problem("unavailable", "The store was opened anew; try again.", 1000);

/**
 * Why a request is refused that was let in before; undefined while its key is in force. To be asked
 * in the very turn in which something is read or written for it.
 * @param now milliseconds since 1970
 */
export function endOf(principal: Principal, now: number): Problem | undefined {
  if (isInForce(principal, now)) return undefined;
  return principal.end === "replaced" ? STORE_REPLACED : KEY_ENDED;
}
