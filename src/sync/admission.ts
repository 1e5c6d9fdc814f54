import type { IncomingMessage } from "node:http";

import type { Accounts, Principal } from "../accounts/accounts.ts";
import { SignIns } from "../accounts/sign-ins.ts";
import type { OutlineId } from "../core/node-key.ts";
import { ClientAddresses } from "./client-address.ts";
import type { Connections } from "./connections.ts";
import type { SyncLimits } from "./sync-limits.ts";
import { keyOf, outlineOf } from "./upgrade-request.ts";
import type { UpgradeRefusal } from "./upgrade-refusal.ts";
import { upgradeRefusal } from "./upgrade-refusal.ts";

export interface Admitted {
  readonly kind: "admitted";
  readonly principal: Principal;
  readonly outline: OutlineId;
  readonly address: string;
}

export interface AdmissionOptions {
  readonly accounts: Pick<Accounts, "authenticate">;
  readonly limits: SyncLimits;
  readonly connections: Connections;
  now(): number;
}

/**
 * Decides who gets a websocket. Nothing is made or loaded for who gets none: the outline of a path
 * is only ever compared with the one that the key owns.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #addresses: ClientAddresses;
  readonly #signIns: SignIns;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#addresses = new ClientAddresses(options.limits.trustedProxies);
    this.#signIns = new SignIns({
      accounts: options.accounts,
      perMinute: options.limits.failedSignInsPerMinute,
      now: () => options.now(),
    });
  }

  /** @throws Error of the account store, when it fails */
  async admit(request: IncomingMessage): Promise<Admitted | UpgradeRefusal> {
    const address = this.#addresses.of(request.socket.remoteAddress, request.headers);
    const key = keyOf(request.headers);
    if (typeof key !== "string") return key;
    const signIn = await this.#signIns.attempt(key, address);
    if (signIn.kind === "limited") {
      return upgradeRefusal("rate_limited", "Too many wrong keys.", signIn.waitMs);
    }
    if (signIn.kind === "unknown") {
      return upgradeRefusal("unauthorized", "The API key is not valid.");
    }
    const { principal } = signIn;
    const outline = outlineOf(request.url);
    if (outline === undefined || (outline !== "me" && outline !== principal.outline)) {
      return upgradeRefusal("not_found", "There is no such outline.");
    }
    if (principal.root !== undefined) {
      return upgradeRefusal("forbidden", "A key for a part of an outline can't sync.");
    }
    return { kind: "admitted", principal, outline: principal.outline, address };
  }

  /**
   * Why there is no room for one more; to be asked in the turn in which the connection is added, since
   * many may be looked up at once.
   */
  excessOf({ principal, address }: Admitted): UpgradeRefusal | undefined {
    const { limits, connections } = this.#options;
    const isRoom =
      connections.countOfKey(principal.keyId) < limits.connectionsPerKey &&
      connections.countOfAddress(address) < limits.connectionsPerAddress;
    return isRoom
      ? undefined
      : upgradeRefusal("rate_limited", "Too many connections.", limits.heartbeatMs);
  }
}
