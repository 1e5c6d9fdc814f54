import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a name; none when it has none, or nobody can tell. Ends with the signal. */
export type ResolveName = (
  name: string,
  signal: AbortSignal,
) => Promise<readonly ResolvedAddress[]>;

const TRY_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers of the system, and not the system itself: that would hold one of the few
 * threads on which the disk is written as well, for as long as a stranger's name server wants.
 */
export const resolveName: ResolveName = async (name, signal) => {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const [of4, of6] = await Promise.all([
      resolver.resolve4(name).catch(() => []),
      resolver.resolve6(name).catch(() => []),
    ]);
    return [
      ...of4.map((address) => ({ address, family: 4 }) as const),
      ...of6.map((address) => ({ address, family: 6 }) as const),
    ];
  } finally {
    signal.removeEventListener("abort", cancel);
  }
};

/** The same, and then also what only the system knows: names of its own network, and of this machine. */
export const resolveLocalName: ResolveName = async (name, signal) => {
  const found = await resolveName(name, signal);
  if (found.length > 0) return found;
  const known = await lookup(name, { all: true }).catch(() => []);
  return known.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** The address that a host of a URL is, of IPv6 in brackets; undefined for a name. */
export function addressIn(host: string): ResolvedAddress | undefined {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  return family === 0 ? undefined : { address, family: family === 6 ? 6 : 4 };
}
