import type { Principal } from "./principal.ts";

type Facts = Omit<Principal, "end">;

/** Everybody but its keeper has it as a `Principal`. */
type LivePrincipal = Facts & { end: Principal["end"] };

/**
 * The principals that anybody holds: a cache, a request that waits, an open websocket. There is one of
 * each key and each session at a time, so that its end is seen by all who hold it.
 */
export class LivePrincipals {
  /** By handle, as long as they are held: what nobody holds is collected with its entry. [Q23] */
  readonly #held = new Map<string, WeakRef<LivePrincipal>>();
  readonly #collected = new FinalizationRegistry<string>((id) => {
    if (this.#held.get(id)?.deref() === undefined) this.#held.delete(id);
  });

  /** The principal of these facts: the one that somebody holds, or a new one. */
  of(facts: Facts): Principal {
    const known = this.#held.get(facts.id)?.deref();
    if (known !== undefined && known.end === undefined) return known;
    const principal: LivePrincipal = { ...facts, end: undefined };
    this.#held.set(facts.id, new WeakRef(principal));
    this.#collected.register(principal, facts.id);
    return principal;
  }

  revoke(id: string): void {
    finish(this.#held.get(id), "revoked");
    this.#held.delete(id);
  }

  /** A backup was restored: nobody knows who of them is still there. */
  replaceAll(): void {
    for (const held of this.#held.values()) finish(held, "replaced");
    this.#held.clear();
  }
}

function finish(held: WeakRef<LivePrincipal> | undefined, end: "revoked" | "replaced"): void {
  const principal = held?.deref();
  if (principal !== undefined) principal.end ??= end;
}
