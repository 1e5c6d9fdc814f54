import { BlockList, isIPv4, isIPv6 } from "node:net";
import { withoutPrefix } from "../../accounts/network-of.ts";

/**
 * Networks of IPv4 that are nobody's in the internet: "this network", private, shared by carriers,
 * loopback, link-local (with the metadata of clouds), of protocols, for documentation, of the old way
 * to 6to4, for benchmarks, multicast, reserved (RFC 6890 and the registry that it began); and the one
 * public address at which a cloud serves the machines in it.
 */
const NOT_PUBLIC_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** Of IPv6 only this is given out; in it are tunnels, which have an IPv4 address in them, and examples. */
const PUBLIC_6 = ["2000::/3"];
const NOT_PUBLIC_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
/** By which machines without IPv4 reach it: the last 32 bits are the address (RFC 6052). */
const TRANSLATED = ["64:ff9b::/96"];

const notPublic4 = listOf(NOT_PUBLIC_4, "ipv4");
const public6 = listOf(PUBLIC_6, "ipv6");
const notPublic6 = listOf(NOT_PUBLIC_6, "ipv6");
const translated = listOf(TRANSLATED, "ipv6");

/**
 * Whether an address is one that anybody in the internet can be reached at: no private network, this
 * machine, or metadata of a cloud, in whatever form it is written.
 */
export function isPublicAddress(address: string): boolean {
  const plain = withoutPrefix(address);
  if (isIPv4(plain)) return !notPublic4.check(plain, "ipv4");
  if (!isIPv6(plain) || plain.includes("%")) return false;
  if (translated.check(plain, "ipv6")) return isPublicAddress(lastBitsOf(plain));
  return public6.check(plain, "ipv6") && !notPublic6.check(plain, "ipv6");
}

/** The last 32 bits of an IPv6 address that has four groups of zeros before them, as one of IPv4. */
function lastBitsOf(address: string): string {
  // As the standard for URLs writes it: without dots, and with `::` for these groups.
  const [, tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = ["0", "0", ...tail.split(":")].slice(-2);
  const bits = groups.map((group) => Number.parseInt(group || "0", 16));
  return bits.flatMap((group) => [group >> 8, group & 255]).join(".");
}

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
