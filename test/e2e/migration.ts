import { expect, onTestFinished } from "vitest";
import { OAuthPerson, type Served, type TokenAnswer } from "../http/oauth-person.ts";
import type { PostgresServer } from "../support/postgres/postgres-server.ts";
import { signatureOf, WebhookReceiver } from "../support/webhook-receiver.ts";
import { call, type ProgramFolder } from "./program-folder.ts";
import type { ServerProcess } from "./server-process.ts";

/** A store with something of every kind in it, and how to look at it from outside. */
export interface Settled {
  readonly key: string;
  /** Of a browser that is signed in. */
  readonly cookie: string;
  /** Everything that clients see of a server on it. */
  look(server: ServerProcess): Promise<unknown>;
  /** Writes something, and waits until the webhook has told it. @returns a new look */
  change(server: ServerProcess): Promise<unknown>;
}

export const FREELY = { OUTLINE_EXPORT_LIMIT_MS: "0", OUTLINE_WEBHOOK_INSECURE: "true" };

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
  const cookie = await served(server, key).signIn();
  const receiver = await WebhookReceiver.open();
  onTestFinished(() => receiver.close());
  const webhook = { url: receiver.url, name: "mine" };
  const { body: made } = await call(server, key, "POST", "webhooks", webhook);
  const { secret } = made as { readonly secret: string };
  const assistant = await OAuthPerson.of<Served>(served(server, key));
  let tokens = await assistant.tokens();
  const assistantAt = async (at: ServerProcess): Promise<unknown> => {
    assistant.service = served(at, key);
    const refreshed = await assistant.refresh(tokens.refresh_token);
    tokens = refreshed.body as TokenAnswer;
    return [refreshed.status, (await assistant.mcp(tokens.access_token)).status];
  };
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
  const look = async (at: ServerProcess): Promise<unknown> => {
    const session = await fetch(`${at.url}/session`, { headers: { cookie } });
    return {
      session: [session.status, await session.json()],
      once: await once(at),
      export: (await call(at, key, "GET", "nodes-export")).body,
      reader: (await call(at, reader.trim(), "GET", "nodes")).status,
      revoked: (await call(at, revoked, "GET", "nodes")).status,
      assistant: await assistantAt(at),
      webhooks: await webhooksOf(at, key),
    };
  };
  return {
    key,
    cookie,
    async change(at) {
      const { body } = await call(at, key, "POST", "nodes", { name: "told" });
      const { item_id: id } = body as { readonly item_id: string };
      // A new epoch is told first.
      for (let told: readonly unknown[] = []; !told.includes(id);) {
        const message = await receiver.next();
        expect(message.headers["webhook-signature"]).toBe(signatureOf(secret, message));
        told = message.data.changed ?? [];
      }
      return look(at);
    },
    look,
  };
}

/** Without when they last told something: a new epoch is told, too. */
async function webhooksOf(at: ServerProcess, key: string): Promise<unknown> {
  const { body } = await call(at, key, "GET", "webhooks");
  const { webhooks } = body as { readonly webhooks: readonly object[] };
  return webhooks.map((webhook) => ({ ...webhook, lastDeliveredAt: null }));
}

/** A server as tests of OAuth ask it. */
function served({ url }: ServerProcess, key: string): Served {
  const ask = async (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${url}${path}`, init);
  return {
    url,
    key,
    async request(method, path, body, { headers = {} } = {}) {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await ask(path, { method, headers, body: sent });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
    async signIn(own = key) {
      const answer = await ask("/session", { method: "POST", body: JSON.stringify({ key: own }) });
      return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    },
  };
}
