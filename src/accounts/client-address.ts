import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP, isIPv4 } from "node:net";
import { networkOf, withoutPrefix } from "./network-of.ts";

/**
 * From which address a request comes, as far as it can be believed: that of the socket, or, as long
 * as that is a proxy of ours, the address it names as the one before it.
 */
export class ClientAddresses {
  readonly #proxies = new BlockList();

  /**
   * @param trustedProxies addresses and CIDR ranges, separated by commas
   * @throws Error for what is neither
   */
  constructor(trustedProxies: string) {
    for (const entry of trustedProxies.split(",")) {
      const [address = "", prefix] = entry.trim().split("/");
      if (address === "") continue;
      const family = familyOf(address);
      if (prefix === undefined) this.#proxies.addAddress(address, family);
      else this.#proxies.addSubnet(address, Number(prefix), family);
    }
  }

  /** Whether what comes from there may be anybody's. */
  isProxy(socketAddress: string | undefined): boolean {
    return this.#isProxy(withoutPrefix(socketAddress ?? ""));
  }

  /** An IPv4 address, or the /64 that an IPv6 address is in: who has one has all of it. */
  of(socketAddress: string | undefined, headers: IncomingHttpHeaders): string {
    let address = withoutPrefix(socketAddress ?? "");
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    while (this.#isProxy(address)) {
      const before = withoutPrefix(forwarded.pop()?.trim() ?? "");
      if (isIP(before) === 0) break;
      address = before;
    }
    return networkOf(address);
  }

  #isProxy(address: string): boolean {
    return isIP(address) !== 0 && this.#proxies.check(address, familyOf(address));
  }
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv4(address) ? "ipv4" : "ipv6";
}
