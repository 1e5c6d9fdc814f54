import { expect } from "vitest";

import { type Answer, type Api, listPathOf, pathOf } from "./api.ts";

/** A place where the API takes a reference to a node that is there. */
export interface ReferenceRoute {
  readonly name: string;
  /** Makes the request with the reference; `scratch` is another node of the same user. */
  readonly request: (api: Api, reference: string, scratch: string) => Promise<Answer>;
  /** Checks that a successful request meant the node `id`. */
  readonly check: (api: Api, id: string, scratch: string, answer: Answer) => Promise<void>;
}

/** Those that name the node that an operation is about, in the path. */
export const NODE_ROUTES: readonly ReferenceRoute[] = [
  {
    name: "retrieve",
    request: (api, reference) => api.request("GET", pathOf(reference)),
    check: async (_api, id, _scratch, answer) => {
      expect(answer.body).toMatchObject({ node: { id } });
    },
  },
  {
    name: "update",
    request: (api, reference) =>
      api.request("POST", pathOf(reference), { json: { note: "updated" } }),
    check: async (api, id) => {
      expect((await api.node(id)).note).toBe("updated");
    },
  },
  {
    name: "move",
    request: (api, reference, scratch) =>
      api.request("POST", `${pathOf(reference)}/move`, { json: { parent_id: scratch } }),
    check: async (api, id, scratch) => {
      expect((await api.node(id)).parent_id).toBe(scratch);
    },
  },
  {
    name: "complete",
    request: (api, reference) => api.request("POST", `${pathOf(reference)}/complete`),
    check: async (api, id) => {
      expect((await api.node(id)).completed).toBe(true);
    },
  },
  {
    name: "uncomplete",
    request: async (api, reference) => {
      // Completed by the same reference: it is the second request that this route is about.
      await api.request("POST", `${pathOf(reference)}/complete`);
      return api.request("POST", `${pathOf(reference)}/uncomplete`);
    },
    check: async (api, id) => {
      expect((await api.node(id)).completed).toBe(false);
    },
  },
  {
    name: "delete",
    request: (api, reference) => api.request("DELETE", pathOf(reference)),
    check: async (api, id) => {
      expect(await api.outcome("GET", pathOf(id))).toBe("404 not_found");
    },
  },
];

/** Those that name a parent and make missing system nodes. */
const DESTINATION_ROUTES: readonly ReferenceRoute[] = [
  {
    name: "create below",
    request: (api, reference) =>
      api.request("POST", "/nodes", { json: { parent_id: reference, name: "new" } }),
    check: async (api, id, _scratch, answer) => {
      const { item_id } = answer.body as { item_id: string };
      expect((await api.node(item_id)).parent_id).toBe(id);
    },
  },
  {
    name: "move below",
    request: (api, reference, scratch) =>
      api.request("POST", `${pathOf(scratch)}/move`, { json: { parent_id: reference } }),
    check: async (api, id, scratch) => {
      expect((await api.node(scratch)).parent_id).toBe(id);
    },
  },
];

/** Those that only look a node up, to point at it or at its children. */
export const LOOKUP_ROUTES: readonly ReferenceRoute[] = [
  {
    name: "list",
    request: (api, reference) => api.request("GET", listPathOf(reference)),
    check: async (api, id, _scratch, answer) => {
      const child = await api.create({ parent_id: id, name: "child" });
      const { nodes } = answer.body as { nodes: readonly unknown[] };
      expect((await api.children(id)).slice(1)).toEqual(
        nodes.map((node, index) => ({ ...(node as object), priority: (index + 2) * 100 })),
      );
      expect((await api.children(id))[0]?.id).toBe(child);
    },
  },
  {
    name: "shortcut",
    request: (api, reference) =>
      api.request("POST", "/targets", { json: { key: "pointer", id: reference } }),
    check: async (api, id) => {
      expect((await api.node("pointer")).id).toBe(id);
    },
  },
  {
    name: "key",
    request: (api, reference) =>
      api.request("POST", "/keys", { json: { name: "limited", root_id: reference } }),
    check: async (api, id) => {
      expect((await api.keys()).at(-1)?.root_id).toBe(id);
    },
  },
];

export const REFERENCE_ROUTES: readonly ReferenceRoute[] = [
  ...NODE_ROUTES,
  ...DESTINATION_ROUTES,
  ...LOOKUP_ROUTES,
];
