import type { TestService } from "../../support/service.ts";

/** As long as a node may be that is answered in one go. */
const NAME_LENGTH = 65_000;

/**
 * Makes a node whose answer is whole in memory until it is read: 195 KB that gzip makes hardly
 * shorter. @returns its path
 */
export async function plantWholeAnswer(service: TestService, key = service.key): Promise<string> {
  const name = incompressible(NAME_LENGTH);
  const { body } = await service.request("POST", "/api/v1/nodes", { name }, { key });
  return `/api/v1/nodes/${(body as { readonly item_id: string }).item_id}`;
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
