import type { ConnectionState } from "./connection/connection-state.ts";
import type { Disconnection, Status } from "./status.ts";
import type { StoreFailure } from "./store/replica-store.ts";

/** How it stands with the server, as far as it matters for what is safe. */
export type Contact =
  /** What is sent is answered. */
  | { readonly kind: "live" }
  /** On the way there, and nothing has failed yet. */
  | { readonly kind: "joining" }
  | { readonly kind: "away"; readonly cause: Disconnection };

export function contactOf(state: ConnectionState): Contact {
  switch (state.kind) {
    case "live":
      return state.isSilent ? { kind: "away", cause: "unreachable" } : { kind: "live" };
    case "connecting":
    case "greeting":
    case "catching_up":
      return state.attempt === 0 ? { kind: "joining" } : { kind: "away", cause: "unreachable" };
    case "off":
    case "asking":
      return { kind: "away", cause: "unreachable" };
    case "waiting":
    case "stopped":
      return { kind: "away", cause: state.cause };
  }
}

/** What a status follows from. */
export interface Standing {
  readonly contact: Contact;
  /** Why nothing is sent although the server is there. */
  readonly obstacle: Disconnection | undefined;
  /** Why the store does not work. */
  readonly failure: StoreFailure | undefined;
  readonly unsent: number;
  /** How many lines these have changed: asked only where it is said. */
  readonly countLines: () => number;
  /** When the oldest of the unsent was made. */
  readonly since: number | undefined;
}

/** What is safe: from what was acknowledged alone. */
export function statusOf(standing: Standing): Status {
  const { contact, obstacle, failure, unsent, countLines, since } = standing;
  const isLive = contact.kind === "live";
  if (failure !== undefined) {
    const cause = contact.kind === "away" ? { cause: contact.cause } : undefined;
    return { kind: "unsaved", unsent, lines: countLines(), failure, isConnected: isLive, ...cause };
  }
  const local = (cause: Disconnection): Status => ({
    kind: "local",
    unsent,
    lines: countLines(),
    since,
    cause,
  });
  if (contact.kind === "away") return local(contact.cause);
  if (obstacle === "outdated") return local(obstacle);
  if (unsent === 0) return isLive ? { kind: "saved" } : { kind: "saving", unsent };
  if (obstacle !== undefined) return local(obstacle);
  return isLive ? { kind: "saving", unsent } : local("unreachable");
}
