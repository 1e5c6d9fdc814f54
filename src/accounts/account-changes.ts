import {
  type AccountsOfUser,
  type Asker,
  type Ended,
  isListed,
  type KeyRecord,
  type SessionChoice,
  type SessionRecord,
  type WebhookRecord,
} from "./account-store.ts";

/*
 * What a change of accounts comes to, worked out from the records of one user. The drivers of the
 * AccountStore share it, so that they differ only in how they read and write.
 */

export const NOTHING: Ended = { keys: [], sessions: [] };

/** Whether the key and the session of who asks are still there; true when nobody is named. */
export function isThere({ keys, sessions }: AccountsOfUser, asker: Asker | undefined): boolean {
  if (asker === undefined) return true;
  const { keyId, sessionId } = asker;
  if (!keys.some(({ id }) => id === keyId)) return false;
  return sessionId === undefined || sessions.some(({ id }) => id === sessionId);
}

/** What ends with some keys: the keys made with them, those made with these, and all their sessions. */
export function endingWith(
  { keys, sessions }: AccountsOfUser,
  isEnded: (key: KeyRecord) => boolean,
): Ended {
  const ended = new Set<string>();
  // A key is added behind the one that made it, so one pass finds all that descend.
  const endedKeys = keys.filter((key) => {
    const isEnding = isEnded(key) || (key.maker !== undefined && ended.has(key.maker));
    if (isEnding) ended.add(key.id);
    return isEnding;
  });
  return { keys: endedKeys, sessions: sessions.filter(({ keyId }) => ended.has(keyId)) };
}

/**
 * What has to go so that one more key fits: nothing, or the expired ones. Undefined when that is not
 * enough.
 * @param now Unix seconds
 */
export function roomForKey(of: AccountsOfUser, most: number, now: number): Ended | undefined {
  const count = of.keys.filter(isListed).length;
  if (count < most) return NOTHING;
  const ended = endingWith(of, (key) => isListed(key) && hasExpiredAt(key, now));
  return count - ended.keys.filter(isListed).length < most ? ended : undefined;
}

/** @param now Unix seconds */
export function hasExpiredAt({ expiresAt }: Pick<KeyRecord, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Of two moments, of which each may be never. */
export function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/**
 * The sessions that go when one is added: the expired ones, and as long as there are too many, of the
 * key with the most sessions the one that was unused for longest. So nobody with one key can sign out
 * the browsers of the others.
 */
export function sessionsThatGo(
  sessions: readonly SessionRecord[],
  most: number,
  added: SessionRecord,
): readonly SessionRecord[] {
  const going = sessions.filter(({ expiresAt }) => expiresAt <= added.createdAt);
  const ofKeys = new Map<string, SessionRecord[]>([[added.keyId, []]]);
  for (const session of sessions) {
    if (session.expiresAt <= added.createdAt) continue;
    const ofKey = ofKeys.get(session.keyId) ?? [];
    ofKeys.set(session.keyId, ofKey);
    ofKey.push(session);
  }
  const inOrder = [...ofKeys].map(([keyId, ofKey]) => ({
    ofKey: ofKey.toSorted((one, other) => one.lastUsedAt - other.lastUsedAt),
    // The added one counts, and never goes.
    own: keyId === added.keyId ? 1 : 0,
  }));
  for (let excess = sessions.length - going.length + 1 - most; excess > 0; excess--) {
    const [first] = inOrder.toSorted(
      (one, other) => other.ofKey.length + other.own - (one.ofKey.length + one.own),
    );
    const session = first?.ofKey.shift();
    if (session !== undefined) going.push(session);
  }
  return going;
}

/** Whether a webhook goes with keys that have ended. */
export function isOfEnded({ keyHash }: WebhookRecord, { keys }: Pick<Ended, "keys">): boolean {
  return keys.some(({ hash }) => hash === keyHash);
}

/** Whether a webhook delivers, and its outline may hold what it has not told. */
export function isBehind(
  { off, reached }: WebhookRecord,
  log: { readonly epoch: string; readonly head: number },
): boolean {
  if (off !== undefined) return false;
  return reached === undefined || reached.epoch !== log.epoch || reached.head < log.head;
}

export function isChosen({ id }: SessionRecord, choice: SessionChoice): boolean {
  return "id" in choice ? id === choice.id : id !== choice.allBut;
}
