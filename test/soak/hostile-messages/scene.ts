import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/message.ts";
import type { AttackedServer } from "./attacked-server.ts";
import { HealthyPair } from "./healthy-pair.ts";

const HONEST_NAMES = ["Berlin", "milk & <b>honey</b>", "日本", "a **bold** name"];

/** Everybody on the attacked server. */
export interface Scene {
  readonly server: AttackedServer;
  /** Two devices of the user whose outline is attacked. */
  readonly pair: HealthyPair;
  /** Another key of the same user, and one that may only read. */
  readonly attackerKey: string;
  readonly readerKey: string;
  /** Of a user with an outline that nobody but attackers opens. */
  readonly quietKey: string;
  /** What another user has, as it was before. */
  readonly honest: { readonly key: string; readonly exported: string; readonly stored: string };
}

export const QUIET_USER = "quiet";
const HONEST_USER = "honest";

export async function setScene(server: AttackedServer): Promise<Scene> {
  const url = `${server.url.replace("http", "ws")}/sync/me`;
  const honestKey = await server.ask({ kind: "user", name: HONEST_USER });
  for (const name of HONEST_NAMES) {
    await call(server, honestKey, "POST", "nodes", { name, parent_id: "inbox", note: name });
  }
  return {
    server,
    pair: await HealthyPair.open(url, server.key),
    attackerKey: await server.ask({ kind: "key", user: "me", scope: "write" }),
    readerKey: await server.ask({ kind: "key", user: "me", scope: "read" }),
    quietKey: await server.ask({ kind: "user", name: QUIET_USER }),
    honest: {
      key: honestKey,
      exported: await call(server, honestKey, "GET", "nodes-export"),
      stored: await server.ask({ kind: "stored", user: HONEST_USER }),
    },
  };
}

/** What happened to the one who has done nothing. */
export async function honestFailures({ server, honest }: Scene): Promise<readonly string[]> {
  const failures: string[] = [];
  const exported = await call(server, honest.key, "GET", "nodes-export");
  if (exported !== honest.exported) failures.push("another user's outline shows something else");
  const stored = await server.ask({ kind: "stored", user: HONEST_USER });
  if (stored !== honest.stored) failures.push("another user's outline is stored differently");
  return failures;
}

/** The message with which a client begins that has seen what the pair has seen. */
export function greetingBeside({ pair }: Scene): Uint8Array {
  const instance = new Uint8Array(16);
  return encodeMessage({ kind: "hello", version: PROTOCOL_VERSION, instance, ...pair.position });
}

/** @throws Error when it does not succeed */
async function call(
  { url }: AttackedServer,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}`);
  return response.text();
}
