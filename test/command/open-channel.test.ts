import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listenForAdmin } from "../../src/admin/admin-socket.ts";
import { socketPathOf } from "../../src/admin/socket-path.ts";
import { readConfig } from "../../src/config.ts";
import { openChannel } from "../../src/open-channel.ts";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { FakeChannel } from "./fake-channel.ts";
import { invoke } from "./invoke.ts";

async function newData(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "outline-channel-"));
  onTestFinished(() => rm(data, { recursive: true }));
  return data;
}

async function filesIn(data: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of await readdir(data)) files[name] = "";
  const store = join(data, "store");
  for (const name of await readdir(store)) {
    files[name] = await readFile(join(store, name), "latin1");
  }
  return files;
}

test("[C7] a server on a database is reached by its data folder alone", async () => {
  const data = await newData();
  const read = readConfig({ data }, {});
  if (read.kind === "bad") throw new Error(read.sentences.join(" "));
  const nobody = expect(openChannel(read.config, "use")).rejects;
  await nobody.toThrow(`There is no outline store in "${data}"`);

  const server = new FakeChannel({ "user-remove": {} });
  const socket = await listenForAdmin(server, await socketPathOf(data), () => undefined);
  onTestFinished(() => socket.close());
  const channel = await openChannel(read.config, "use");
  expect(await channel.run("user-remove", { user: "anna" })).toEqual({ kind: "done" });
  expect(server.asked).toMatchObject([{ operation: "user-remove", params: { user: "anna" } }]);
});

test("[C7] a command begins no store where somebody has emptied one", async () => {
  const data = await newData();
  const store = join(data, "store");
  await mkdir(store);
  const sentence = expect.stringContaining(`There is no outline store in "${data}"`);
  for (const command of ["check", "repair"]) {
    const finished = await invoke([command], openChannel, { OUTLINE_DATA: data });
    expect(finished).toEqual({ code: 1, out: "", err: sentence });
  }
  expect(await readdir(store)).toEqual([]);

  const server = await PostgresServer.shared();
  const database = { OUTLINE_DATA: data, OUTLINE_STORE: server.urlOf("postgres") };
  expect(await invoke(["check"], openChannel, database)).toEqual({
    code: 1,
    out: "",
    err: "There is no outline store in the database.\n",
  });
  const schema = "select to_regnamespace('outline_store') as made";
  expect(await server.run("postgres", schema)).toEqual([{ made: null }]);
});

test("[C12, C14] what is checked or exported without a server stays byte for byte as it is", async () => {
  const data = await newData();
  const at = (folder: string) => ({ OUTLINE_DATA: folder });
  await invoke(["user", "add", "anna"], openChannel, at(data));
  const copy = await newData();
  await invoke(["backup", join(copy, "store")], openChannel, at(data));
  for (const folder of [data, copy]) {
    const before = await filesIn(folder);
    expect(await invoke(["check"], openChannel, at(folder))).toMatchObject({ code: 0 });
    const exported = await invoke(["export", "--user", "anna"], openChannel, at(folder));
    expect(exported).toMatchObject({ code: 0 });
    expect(await filesIn(folder)).toEqual(before);
  }
});

test("[P24] a repair that a crash has cut off before its end is finished by whatever command comes next", async () => {
  const data = await newData();
  const environment = { OUTLINE_DATA: data };
  await invoke(["user", "add", "anna"], openChannel, environment);
  for (const command of [["repair"], ["user", "list"]]) {
    await rename(join(data, "store"), join(data, "store.salvaged"));
    expect(await invoke(command, openChannel, environment)).toMatchObject({ code: 0 });
  }
});
