import type { WebhookRecord } from "../../accounts/account-store.ts";
import type { Principal } from "../../accounts/principal.ts";
import { endOf } from "../intake/in-force.ts";
import { NO_SUCH_NODE, problem, type Problem } from "../problem.ts";
import { reading, type Service } from "../service.ts";

export const NO_SUCH_WEBHOOK = problem("not_found", "There is no such webhook.");

/**
 * Those that a key reaches: all of the outline, or for a limited key those that it has made itself, as
 * long as its root is there.
 */
export async function webhooksSeen(
  service: Service,
  principal: Principal,
): Promise<readonly WebhookRecord[] | Problem> {
  const { outline, root, keyId } = principal;
  const all = await service.accounts.webhooks.of(outline);
  const end = endOf(principal, service.now());
  if (end !== undefined) return end;
  if (root === undefined) return all;
  const isThere = await reading(service, { principal }, (view) => view.place(null) !== undefined);
  return isThere ? all.filter((webhook) => webhook.keyId === keyId) : NO_SUCH_NODE;
}

/** One of these. */
export async function webhookSeen(
  service: Service,
  principal: Principal,
  id: string,
): Promise<{ readonly kind: "seen"; readonly webhook: WebhookRecord } | Problem> {
  const seen = await webhooksSeen(service, principal);
  if ("kind" in seen) return seen;
  const webhook = seen.find((each) => each.id === id);
  return webhook === undefined ? NO_SUCH_WEBHOOK : { kind: "seen", webhook };
}
