/**
 * A server process of the HTTP benchmark: the service, or the floor that it is held against. Its
 * parent says which one, and may ask how much processor time it has used.
 */
import { fastify } from "fastify";
import { ROOT } from "../../src/core/node-key.ts";
import { startService } from "../support/service.ts";

export type Paths = Readonly<Record<"retrieve" | "list" | "export", string>>;

export type Role =
  | { readonly kind: "service" }
  /** Routes of nothing but the framework, which answer the same. */
  | { readonly kind: "floor"; readonly bodies: Readonly<Record<string, unknown>> };

export interface Listening {
  readonly url: string;
  readonly key: string;
  readonly paths: Paths;
}

const LISTED = 20;
const EXPORTED = 100_000;

async function serve(): Promise<Listening> {
  const { url, key, request, accounts, documents } = await startService({
    store: "level",
    exportLimitMs: 0,
  });
  const create = async (fields: object): Promise<string> => {
    const { body } = await request("POST", "/api/v1/nodes", fields);
    return (body as { item_id: string }).item_id;
  };
  const parent = await create({ name: "parent" });
  for (let index = 0; index < LISTED; index += 1) {
    await create({ parent_id: parent, name: `child ${index}, with a **name** of usual length` });
  }
  const principal = await accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is not valid");
  await documents.use(principal.outline, (document) =>
    document.bulk(function* (outline) {
      let above = ROOT;
      for (let index = 0; index < EXPORTED; index += 1) {
        const name = [{ insert: `node ${index}, with a name of usual length` }];
        const node = outline.createPlain({ parent: above, position: "bottom", name });
        if (index % 10 === 0) above = node;
        yield;
      }
    }),
  );
  return {
    url,
    key,
    paths: {
      retrieve: `/api/v1/nodes/${parent}`,
      list: `/api/v1/nodes?parent_id=${parent}`,
      export: "/api/v1/nodes-export",
    },
  };
}

async function serveFloor(bodies: Readonly<Record<string, unknown>>): Promise<Listening> {
  const app = fastify();
  const paths = { retrieve: "/retrieve", list: "/list", export: "/export" };
  for (const [name, body] of Object.entries(bodies)) app.get(`/${name}`, async () => body);
  return { url: await app.listen({ port: 0, host: "127.0.0.1" }), key: "", paths };
}

process.on("message", (message: Role | "cpu") => {
  if (message === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
    return;
  }
  const started = message.kind === "service" ? serve() : serveFloor(message.bodies);
  void started.then((listening) => process.send?.(listening));
});

process.on("disconnect", () => process.exit());
