import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listenForAdmin } from "../../src/admin/admin-socket.ts";
import { socketPathOf } from "../../src/admin/socket-path.ts";
import { readConfig } from "../../src/config.ts";
import { openChannel } from "../../src/open-channel.ts";
import { FakeChannel } from "./fake-channel.ts";

test("[C7] a server on a database is reached by its data folder alone", async () => {
  const data = await mkdtemp(join(tmpdir(), "outline-channel-"));
  onTestFinished(() => rm(data, { recursive: true }));
  const read = readConfig({ data }, {});
  if (read.kind === "bad") throw new Error(read.sentences.join(" "));
  const nobody = expect(openChannel(read.config, false)).rejects;
  await nobody.toThrow(`There is no outline store in "${data}"`);

  const server = new FakeChannel({ "user-remove": {} });
  const socket = await listenForAdmin(server, await socketPathOf(data), () => undefined);
  onTestFinished(() => socket.close());
  const channel = await openChannel(read.config, false);
  expect(await channel.run("user-remove", { user: "anna" })).toEqual({ kind: "done" });
  expect(server.asked).toMatchObject([{ operation: "user-remove", params: { user: "anna" } }]);
});
