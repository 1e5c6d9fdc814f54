/** One request to each route that succeeds for the user of a `RouteWorld`. */
export interface RouteRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** The route as the specification writes it, below `/api/v1`. */
  readonly route: string;
  readonly path: string;
  readonly json?: object;
  /** Whether it changes something, so that a read-only key may not. */
  readonly writes: boolean;
}

/** What the requests are about. */
export interface RouteWorld {
  readonly nodeId: string;
  readonly shortcut: string;
  readonly keyId: string;
}

/** Every route and method of the API. Deletions come last; in this order all of them succeed. */
export function routeRequests({ nodeId, shortcut, keyId }: RouteWorld): readonly RouteRequest[] {
  const node = `/nodes/${nodeId}`;
  const read = (route: string, path: string): RouteRequest => {
    return { method: "GET", route, path, writes: false };
  };
  const post = (route: string, path: string, json?: object): RouteRequest => {
    const request = { method: "POST", route, path, writes: true } as const;
    return json === undefined ? request : { ...request, json };
  };
  const remove = (route: string, path: string): RouteRequest => {
    return { method: "DELETE", route, path, writes: true };
  };
  return [
    read("/nodes", "/nodes"),
    read("/nodes/:id", node),
    read("/nodes/:id/tree", `${node}/tree`),
    read("/nodes-export", "/nodes-export"),
    read("/search", "/search?q=x"),
    read("/targets", "/targets"),
    read("/settings", "/settings"),
    read("/keys", "/keys"),
    post("/nodes", "/nodes", { name: "new" }),
    post("/nodes/:id", node, { name: "changed" }),
    post("/nodes/:id/complete", `${node}/complete`),
    post("/nodes/:id/uncomplete", `${node}/uncomplete`),
    post("/nodes/:id/move", `${node}/move`, { parent_id: null, position: "bottom" }),
    post("/batch", "/batch", { operations: [{ op: "update", id: nodeId, note: "noted" }] }),
    post("/targets", "/targets", { key: "another", id: nodeId }),
    post("/settings", "/settings", { weekStart: 3 }),
    post("/keys", "/keys", { name: "another" }),
    remove("/targets/:key", `/targets/${shortcut}`),
    remove("/nodes/:id", node),
    remove("/keys/:id", `/keys/${keyId}`),
  ];
}

/** The methods of each route, for `Allow`. */
export function methodsByRoute(
  requests: readonly RouteRequest[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { route, method } of requests) {
    methods.set(route, (methods.get(route) ?? new Set()).add(method));
  }
  return methods;
}
