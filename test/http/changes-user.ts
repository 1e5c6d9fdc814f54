import { expect } from "vitest";
import type { ServiceAnswer, TestService } from "../support/service.ts";

interface NodeJson {
  readonly id: string;
  readonly name: string;
  readonly parent_id: string | null;
}

export interface Page {
  readonly changed: readonly NodeJson[];
  readonly removed: readonly string[];
  readonly cursor: string;
  readonly more: boolean;
}

export const NOTHING = { changed: [], removed: [], more: false };

/** A user of its own, whose outline nobody else changes. */
export async function userOf(service: TestService, name: string) {
  const { key, user } = await service.newUser(name);
  const api = (method: string, path: string, body?: unknown, as = key): Promise<ServiceAnswer> =>
    service.request(method, `/api/v1${path}`, body, { key: as });
  const ask = (query: string, as = key): Promise<ServiceAnswer> =>
    api("GET", `/changes?${query}`, undefined, as);
  const page = async (query: string, as = key): Promise<Page> => {
    const { status, body } = await ask(query, as);
    expect([query, status]).toEqual([query, 200]);
    return body as Page;
  };
  return {
    key,
    user,
    api,
    ask,
    page,
    cursor: async (query = "", as = key): Promise<string> => (await page(query, as)).cursor,
    /** What has changed, by names, and what was removed, by ids. */
    told: async (query: string, as = key) => {
      const { changed, removed, more } = await page(query, as);
      return { changed: changed.map((node) => node.name), removed, more };
    },
    outcome: async (query: string, as = key): Promise<string> => {
      const { status, body } = await ask(query, as);
      return `${status} ${(body as { code?: string }).code ?? ""}`.trim();
    },
    create: async (text: string, parent: string | null = null): Promise<string> => {
      const made = await api("POST", "/nodes", { name: text, parent_id: parent });
      return (made.body as { item_id: string }).item_id;
    },
    newKey: async (more: object) => {
      const { body } = await api("POST", "/keys", { name: "other", ...more });
      return body as { readonly id: string; readonly key: string };
    },
  };
}
