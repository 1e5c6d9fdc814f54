import type { IncomingMessage } from "node:http";

import type { Principal } from "../accounts/principal.ts";
import { networkOf } from "../accounts/network-of.ts";
import { forwardedOf } from "../accounts/passing.ts";
import type { SignIns } from "../accounts/sign-ins.ts";
import type { OutlineId } from "../core/node-key.ts";
import { ClientAddresses } from "../accounts/client-address.ts";
import type { Connections } from "./connections.ts";
import type { SyncLimits } from "./sync-limits.ts";
import { credentialOf, outlineOf } from "./upgrade-request.ts";
import type { UpgradeRefusal } from "./upgrade-refusal.ts";
import { upgradeRefusal } from "./upgrade-refusal.ts";

export interface Admitted {
  readonly kind: "admitted";
  readonly principal: Principal;
  readonly outline: OutlineId;
  readonly address: string;
}

export interface AdmissionOptions {
  readonly signIns: SignIns;
  /** The name of the service, which its cookies have. */
  readonly name: string;
  readonly limits: SyncLimits;
  readonly connections: Connections;
}

export const KEY_ENDED = upgradeRefusal("unauthorized", "The API key or session is not valid.");

/**
 * Decides who gets a websocket. Nothing is made or loaded for who gets none: the outline of a path
 * is only ever compared with the one that the key owns.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #addresses: ClientAddresses;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#addresses = new ClientAddresses(options.limits.trustedProxies);
  }

  /** Where a request comes from, as far as it can be believed. */
  addressOf(request: IncomingMessage): string {
    const { socket, headers } = request;
    const forwarded = forwardedOf(request);
    return forwarded === undefined
      ? this.#addresses.of(socket.remoteAddress, headers)
      : networkOf(forwarded.address);
  }

  /** @throws Error of the account store, when it fails */
  async admit(request: IncomingMessage, address: string): Promise<Admitted | UpgradeRefusal> {
    const credential = credentialOf(request.headers, this.#options.name);
    if (credential.kind === "refused") return credential;
    const signIn = await this.#options.signIns.attempt(credential, address);
    if (signIn.kind === "limited") {
      return upgradeRefusal("rate_limited", "Too many wrong keys.", signIn.waitMs);
    }
    if (signIn.kind === "unknown") {
      return KEY_ENDED;
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

  /** Why one more is not even looked up: whoever has no key yet has the limits of the address. */
  excessOfAddress(address: string): UpgradeRefusal | undefined {
    const { limits, connections } = this.#options;
    if (connections.countInAll >= limits.connectionsInAll) {
      return upgradeRefusal("unavailable", "The service has no room for more.", RETRY_MS);
    }
    const isRoom = connections.countOfAddress(address) < limits.connectionsPerAddress;
    return isRoom ? undefined : this.#tooMany();
  }

  /**
   * Why there is no room for one more; to be asked in the turn in which the connection is added, since
   * many may be looked up at once.
   */
  excessOf({ principal }: Admitted): UpgradeRefusal | undefined {
    const { limits, connections } = this.#options;
    const isRoom = connections.countOfUser(principal.user) < limits.connectionsPerUser;
    return isRoom ? undefined : this.#tooMany();
  }

  #tooMany(): UpgradeRefusal {
    const { heartbeatMs } = this.#options.limits;
    return upgradeRefusal("rate_limited", "Too many connections.", heartbeatMs);
  }
}

/** When it is worth coming again where all together are too many. */
const RETRY_MS = 5_000;
