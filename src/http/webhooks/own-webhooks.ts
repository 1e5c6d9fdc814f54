import type { WebhookRecord } from "../../accounts/account-store.ts";
import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import { endOf } from "../in-force.ts";
import { problem, type Problem } from "../problem.ts";

interface Parts {
  readonly accounts: Pick<Accounts, "webhooks">;
  readonly now: () => number;
}

export const NO_SUCH_WEBHOOK = problem("not_found", "There is no such webhook.");

/** Those that a key reaches: all of the outline, or for a limited key those that it has made itself. */
export async function webhooksSeen(
  { accounts, now }: Parts,
  principal: Principal,
): Promise<readonly WebhookRecord[] | Problem> {
  const { outline, root, keyId } = principal;
  const all = await accounts.webhooks.of(outline);
  const end = endOf(principal, now());
  if (end !== undefined) return end;
  return root === undefined ? all : all.filter((webhook) => webhook.keyId === keyId);
}

/** One of these. */
export async function webhookSeen(
  parts: Parts,
  principal: Principal,
  id: string,
): Promise<{ readonly kind: "seen"; readonly webhook: WebhookRecord } | Problem> {
  const seen = await webhooksSeen(parts, principal);
  if ("kind" in seen) return seen;
  const webhook = seen.find((each) => each.id === id);
  return webhook === undefined ? NO_SUCH_WEBHOOK : { kind: "seen", webhook };
}
