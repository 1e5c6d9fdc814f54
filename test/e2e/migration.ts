import type { PostgresServer } from "../support/postgres/postgres-server.ts";
import { call, type ProgramFolder } from "./program-folder.ts";
import type { ServerProcess } from "./server-process.ts";

/** A store with something of every kind in it, and how to look at it from outside. */
export interface Settled {
  readonly key: string;
  /** Of a browser that is signed in. */
  readonly cookie: string;
  /** Everything that clients see of a server on it. */
  look(server: ServerProcess): Promise<unknown>;
}

const FREELY = { OUTLINE_EXPORT_LIMIT_MS: "0" };

/** Options of a server, or of a command, on a database. */
export function onDatabase(
  { path }: ProgramFolder,
  server: PostgresServer,
  database: string,
): { readonly data: string; readonly environment: Record<string, string> } {
  const environment = { ...FREELY, OUTLINE_STORE: server.urlOf(database) };
  return { data: `${path}/beside-database`, environment };
}

/** Fills the program's data folder and stops its server. */
export async function settle(program: ProgramFolder): Promise<Settled> {
  const server = await program.start({ environment: FREELY });
  const { key } = server;
  for (const name of ["a", "b", "c"]) {
    await call(server, key, "POST", "nodes", { name, parent_id: "inbox", position: "bottom" });
  }
  await program.command(["user", "add", "anna"]);
  const reader = (await program.command(["key", "add", "--scope", "read", "--name", "reader"])).out;
  const revoked = (await program.command(["key", "add", "--name", "gone"])).out.trim();
  const { out: keys } = await program.command(["key", "list"]);
  const [handle = ""] =
    keys
      .split("\n")
      .find((row) => row.includes("gone"))
      ?.split("\t") ?? [];
  await program.command(["key", "revoke", handle]);
  const signIn = await fetch(`${server.url}/session`, {
    method: "POST",
    body: JSON.stringify({ key }),
  });
  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const once = async ({ url }: ServerProcess): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v1/nodes`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "idempotency-key": "once" },
      body: JSON.stringify({ name: "made once" }),
    });
    return answer.json();
  };
  await once(server);
  await server.stop("SIGTERM");
  return {
    key,
    cookie,
    async look(at) {
      const session = await fetch(`${at.url}/session`, { headers: { cookie } });
      return {
        session: [session.status, await session.json()],
        once: await once(at),
        export: (await call(at, key, "GET", "nodes-export")).body,
        reader: (await call(at, reader.trim(), "GET", "nodes")).status,
        revoked: (await call(at, revoked, "GET", "nodes")).status,
      };
    },
  };
}
