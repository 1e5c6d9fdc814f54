import { isIP, isIPv4 } from "node:net";

/**
 * The part of an address that one person may have all of: an IPv4 address itself, also in its IPv6
 * form, or the /64 that an IPv6 address is in. Anything else stays as it is.
 */
export function networkOf(address: string): string {
  const plain = withoutPrefix(address);
  return isIP(plain) === 6 ? firstHalfOf(plain) : plain;
}

/** IPv4 as it is when a socket for both families reports it as `::ffff:1.2.3.4`. */
export function withoutPrefix(address: string): string {
  const tail = /^::ffff:(?<ipv4>[\d.]+)$/i.exec(address)?.groups?.["ipv4"] ?? "";
  return isIPv4(tail) ? tail : address;
}

/** Whether an address is one of this machine itself, which nobody else can have. */
export function isLoopback(address: string): boolean {
  const plain = withoutPrefix(address);
  return plain === "::1" || (isIPv4(plain) && plain.startsWith("127."));
}

function firstHalfOf(address: string): string {
  const [head = "", tail] = address.split("::", 2);
  const front = head.split(":");
  const back = tail === undefined ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => "0");
  const groups = [...front, ...zeros, ...back].map((group) => group || "0");
  return `${groups.slice(0, 4).join(":")}::/64`;
}
