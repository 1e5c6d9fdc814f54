import type { IncomingMessage } from "node:http";

import type { Accounts, Principal } from "../accounts/accounts.ts";
import type { OutlineId } from "../core/node-key.ts";
import { ClientAddresses } from "./client-address.ts";
import type { Connections } from "./connections.ts";
import { FailedSignIns } from "./failed-sign-ins.ts";
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
  readonly #failures: FailedSignIns;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#addresses = new ClientAddresses(options.limits.trustedProxies);
    this.#failures = new FailedSignIns(options.limits.failedSignInsPerMinute);
  }

  /** @throws Error of the account store, when it fails */
  async admit(request: IncomingMessage): Promise<Admitted | UpgradeRefusal> {
    const { accounts, limits, connections } = this.#options;
    const address = this.#addresses.of(request.socket.remoteAddress, request.headers);
    const waitMs = this.#failures.waitMs(address, this.#options.now());
    if (waitMs > 0) return upgradeRefusal("rate_limited", "Too many wrong keys.", waitMs);
    const key = keyOf(request.headers);
    if (typeof key !== "string") return key;
    const principal = await accounts.authenticate(key);
    if (principal === undefined) {
      this.#failures.count(address, this.#options.now());
      return upgradeRefusal("unauthorized", "The API key is not valid.");
    }
    const outline = outlineOf(request.url);
    if (outline === undefined || (outline !== "me" && outline !== principal.outline)) {
      return upgradeRefusal("not_found", "There is no such outline.");
    }
    if (principal.root !== undefined) {
      return upgradeRefusal("forbidden", "A key for a part of an outline can't sync.");
    }
    if (
      connections.countOfKey(principal.keyId) >= limits.connectionsPerKey ||
      connections.countOfAddress(address) >= limits.connectionsPerAddress
    ) {
      return upgradeRefusal("rate_limited", "Too many connections.", limits.heartbeatMs);
    }
    return { kind: "admitted", principal, outline: principal.outline, address };
  }
}
