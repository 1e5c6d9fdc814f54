/** Who pays for what the service does: a network until a key is known, then the key's user. */
export type Payer = string & { readonly brand: "Payer" };

/** @param network an address as `networkOf` shortens it */
export function payingNetwork(network: string): Payer {
  return `network ${network}` as Payer;
}

/** Whatever keys, sessions and addresses a user has, they pay together. */
export function payingUser(user: string): Payer {
  return `user ${user}` as Payer;
}

/**
 * The user of an outline, of which each has one: for who knows the outline only, and for all that is
 * to share with the work on it.
 */
export function payingOutline(outline: string): Payer {
  return `outline ${outline}` as Payer;
}
