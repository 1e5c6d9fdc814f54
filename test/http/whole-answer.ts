import type { TestService } from "../support/service.ts";

/** As many long children as a list may have that is made in one go. */
const CHILDREN = 7;
const NAME_LENGTH = 65_000;

/**
 * Makes a list whose answer is whole in memory until it is read: 1.4 MB in 455,000 characters that
 * gzip makes hardly shorter. @returns its path
 */
export async function plantWholeAnswer(service: TestService, key = service.key): Promise<string> {
  const parent = await create(service, key, { name: "parent" });
  for (let child = 0; child < CHILDREN; child += 1) {
    await create(service, key, { name: incompressible(NAME_LENGTH, child), parent_id: parent });
  }
  const path = `/api/v1/nodes?parent_id=${parent}`;
  // What was rendered once is kept: from then on the list takes a part of a turn.
  for (let read = 0; read < CHILDREN; read += 1) {
    await service.request("GET", path, undefined, { key });
  }
  return path;
}

async function create(service: TestService, key: string, fields: object): Promise<string> {
  const { body } = await service.request("POST", "/api/v1/nodes", fields, { key });
  return (body as { readonly item_id: string }).item_id;
}

const FIRST_LETTER = 0x4e00;
const LETTERS = 20_000;

/** Letters of three bytes that gzip makes hardly shorter. */
export function incompressible(length: number, seed = 0): string {
  let state = seed;
  let text = "";
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    text += String.fromCharCode(FIRST_LETTER + ((state >> 8) % LETTERS));
  }
  return text;
}
