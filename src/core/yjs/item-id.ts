/** The Yjs id of an item. */
export interface ItemId {
  readonly client: number;
  readonly clock: number;
}

const NUMBER = "(0|[1-9a-z][0-9a-z]{0,9})";
const PATTERN = new RegExp(`^${NUMBER}\\.${NUMBER}$`);

/** `client.clock`, both in base 36. */
export function encodeItemId({ client, clock }: ItemId): string {
  return `${client.toString(36)}.${clock.toString(36)}`;
}

export function parseItemId(text: string): ItemId | undefined {
  const [, client, clock] = PATTERN.exec(text) ?? [];
  return client === undefined || clock === undefined
    ? undefined
    : { client: Number.parseInt(client, 36), clock: Number.parseInt(clock, 36) };
}
