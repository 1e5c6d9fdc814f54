import type { Principal } from "./principal.ts";

type Facts = Omit<Principal, "end">;

class LivePrincipal implements Principal {
  readonly id: Principal["id"];
  readonly user: Principal["user"];
  readonly outline: Principal["outline"];
  readonly keyId: Principal["keyId"];
  readonly sessionId: Principal["sessionId"];
  readonly family: Principal["family"];
  readonly scope: Principal["scope"];
  readonly root: Principal["root"];
  readonly audience: Principal["audience"];
  readonly expiresAt: Principal["expiresAt"];
  readonly keyExpiresAt: Principal["keyExpiresAt"];
  #end: Principal["end"];

  constructor(facts: Facts) {
    this.id = facts.id;
    this.user = facts.user;
    this.outline = facts.outline;
    this.keyId = facts.keyId;
    this.sessionId = facts.sessionId;
    this.family = facts.family;
    this.scope = facts.scope;
    this.root = facts.root;
    this.audience = facts.audience;
    this.expiresAt = facts.expiresAt;
    this.keyExpiresAt = facts.keyExpiresAt;
  }

  get end(): Principal["end"] {
    return this.#end;
  }

  finish(end: "revoked" | "replaced"): void {
    this.#end ??= end;
  }
}

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
    const principal = new LivePrincipal(facts);
    this.#held.set(facts.id, new WeakRef(principal));
    this.#collected.register(principal, facts.id);
    return principal;
  }

  revoke(id: string): void {
    this.#held.get(id)?.deref()?.finish("revoked");
    this.#held.delete(id);
  }

  /** A backup was restored: nobody knows who of them is still there. */
  replaceAll(): void {
    for (const held of this.#held.values()) held.deref()?.finish("replaced");
    this.#held.clear();
  }
}
