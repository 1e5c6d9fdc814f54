import { Server } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { Accounts } from "../../src/accounts/accounts.ts";
import { AdminClient } from "../../src/admin/admin-client.ts";
import { socketPathOf } from "../../src/admin/socket-path.ts";
import { banner } from "../../src/banner.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { isPrinted } from "../../src/first-key.ts";
import { startServer } from "../../src/server.ts";
import { QUIET_LOGGER } from "../support/quiet-logger.ts";

afterEach(() => vi.restoreAllMocks());

function configOf(environment: Readonly<Record<string, string>>): Config {
  const read = readConfig({}, environment);
  if (read.kind === "bad") throw new Error(read.sentences.join(" "));
  return read.config;
}

/** What the command says of the users of a data folder, at the moment when the port is asked for. */
function usersAtListening(data: string): Promise<readonly string[]> {
  const listen = Reflect.get(Server.prototype, "listen") as (...args: unknown[]) => Server;
  return new Promise((resolve, reject) => {
    vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...args) {
      const goOn = (): Server => listen.apply(this, args);
      // The command's own socket is one with a path.
      if (typeof args[0] === "string") return goOn();
      const users: string[] = [];
      const ask = async (): Promise<void> => {
        const channel = await AdminClient.connect(await socketPathOf(data));
        await channel?.run("user-list", {}, { onItem: ({ user }) => void users.push(user) });
        await channel?.close();
      };
      ask()
        .then(() => resolve(users), reject)
        .finally(goOn);
      return this;
    });
  });
}

test("[C8, P23] the first user is there before the port listens, and the next start lists nobody", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outline-first-"));
  const data = join(folder, "data");
  try {
    const users = usersAtListening(data);
    const config = configOf({ OUTLINE_PORT: "0", OUTLINE_DATA: data });
    const server = await startServer(config, { logger: QUIET_LOGGER });
    expect(await users).toEqual(["me"]);
    expect(server.firstKey).toMatchObject({ kind: "printed" });
    await server.close();
    vi.restoreAllMocks();
    const listed = vi.spyOn(Accounts.prototype, "listUsers");
    await (await startServer(config, { logger: QUIET_LOGGER })).close();
    expect(listed).not.toHaveBeenCalled();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["auto", "127.0.0.1", false, true],
  ["auto", "localhost", false, true],
  ["auto", "::1", false, true],
  ["auto", "0.0.0.0", true, true],
  ["auto", "0.0.0.0", false, false],
  ["auto", "outline.example", false, false],
  ["print", "0.0.0.0", false, true],
  ["file", "127.0.0.1", true, false],
])("[C21] %s, at %s, on a terminal %s: printed %s", (firstKey, host, isTerminal, printed) => {
  const config = configOf({ OUTLINE_FIRST_KEY: firstKey, OUTLINE_HOST: host });
  expect(isPrinted(config, isTerminal)).toBe(printed);
});

test("[C8, C21] the greeting has the key, or the file that it is in", () => {
  const url = "http://127.0.0.1:6683";
  const common = { version: "1.2.3", url };
  expect(banner({ ...common, firstKey: undefined })).toBe(`outline-service 1.2.3 is at ${url}\n`);
  const printed = banner({ ...common, firstKey: { kind: "printed", key: "ok_1" } });
  expect(printed).toContain("\n  ok_1\n");
  expect(printed).toContain(`curl ${url}/api/v1/nodes -H "Authorization: Bearer ok_1"`);
  const kept = banner({ ...common, firstKey: { kind: "kept", file: "/data/first-key" } });
  expect(kept).toContain("\n  /data/first-key\n");
  expect(kept).toContain(`-H "Authorization: Bearer $(cat '/data/first-key')"`);
});
