import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { levelFolders } from "../store/support/level-folder.ts";
import { invoke } from "./invoke.ts";

const { newFolder, open } = levelFolders();
let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.shared();
});

/** A data folder with a store in it. */
async function dataFolder(): Promise<string> {
  const data = await newFolder();
  await (await open(join(data, "store"))).close();
  return data;
}

test("[C27] each mistake is a sentence, and changes nothing", async () => {
  const folder = `level:${await dataFolder()}`;
  const other = await dataFolder();
  const nowhere = join(await newFolder(), "nowhere");
  const address = server.urlOf("postgres");
  const mistakes: readonly (readonly [string, string, number, string])[] = [
    ["", address, 2, "--from must be level:FOLDER or"],
    [folder, other, 2, "--to must be level:FOLDER or"],
    [folder, "level:", 2, "--to must be level:FOLDER or"],
    [folder, folder, 2, "name the same store"],
    [`level:${nowhere}`, address, 1, `--from: There is no outline store in "${nowhere}".`],
    [address, `level:${nowhere}`, 1, "--from: There is no outline store in the database."],
    [folder, server.urlOf("unknown"), 1, '--to: The database can\'t be used: database "unknown"'],
    [
      folder,
      server.urlOf("unknown", 1),
      1,
      "--to: The database can't be used: connect ECONNREFUSED",
    ],
    [folder, `level:${other}`, 1, `--to: "${join(other, "store")}" holds a store already.`],
  ];
  for (const [from, to, code, sentence] of mistakes) {
    const finished = await invoke(["migrate", "--from", from, "--to", to]);
    expect(finished).toMatchObject({ code, out: "", err: expect.stringContaining(sentence) });
    expect(finished.err.trimEnd().split("\n")).toHaveLength(1);
  }
  expect(existsSync(nowhere)).toBe(false);
  expect(await server.run("postgres", "select to_regnamespace('outline_store') as made")).toEqual([
    { made: null },
  ]);
});
