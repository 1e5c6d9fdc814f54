import type { ClientRequest } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { ResolvedAddress } from "./resolve-name.ts";

/*
 * A name is resolved and its addresses are checked before anything is asked of them. What the name means
 * afterwards must not count: the connection is made to one of those addresses, and where it has led is
 * looked at once more.
 */

/** Tells of addresses that are known, however it is asked: the name is not resolved again. */
export function lookupOf(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family ?? 0);
  };
}

/** Calls back before a word of TLS is said, when a connection has led to what may not be asked. */
export function checkConnection(
  request: ClientRequest,
  mayAsk: (address: string) => boolean,
  refuse: () => void,
): void {
  request.once("socket", (socket: Socket) =>
    socket.prependOnceListener("connect", () => {
      if (!mayAsk(socket.remoteAddress ?? "")) refuse();
    }),
  );
}
