import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { SignedHeaders } from "../../src/http/webhooks/signed-headers.ts";
import { startService } from "../support/service.ts";

const PAGE = new URL("../../docs/api-recipes.md", import.meta.url);
const NEEDED = ["bash", "curl"];
const missing = NEEDED.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
if (missing.length > 0) console.warn(`not run: the API recipes, for want of ${missing.join()}`);

const DAY_MS = 24 * 60 * 60 * 1_000;
const WEDNESDAY = 3;
/** Until when it is Wednesday: on a Sunday tomorrow is the first day of next week. */
const AHEAD_MS = ((7 + WEDNESDAY - new Date().getUTCDay()) % 7) * DAY_MS;

function onWednesdays(): number {
  return Date.now() + AHEAD_MS;
}

test.skipIf(missing.length > 0)(
  "[J1, U50, U57, U58, U60, U80, U88, U110] all recipes of the page do what they say",
  async () => {
    const service = await startService({ now: onWednesdays });
    onTestFinished(() => service.close());
    const folder = await mkdtemp(join(tmpdir(), "outline-recipes-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const page = await readFile(PAGE, "utf8");
    const recipes = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, recipe = ""]) => recipe);
    const script = ["set -eu -o pipefail", ...recipes].join("\n");
    const { PATH } = process.env;
    const env = { PATH, OUTLINE_URL: service.url, OUTLINE_KEY: service.key };
    await promisify(execFile)("bash", ["-c", script], { cwd: folder, env });

    const read = async (path: string): Promise<unknown> =>
      (await service.request("GET", `/api/v1/${path}`)).body;
    const named = (name: string, completed = false) => ({ name, completed, children: [] });
    const tree = (place: string) => read(`nodes/${place}/tree?depth=all&fields=name,completed`);
    expect(await tree("work")).toMatchObject({
      root: { name: "Work" },
      children: [
        named("write the report", true),
        named("send it"),
        named("ask for a raise"),
        named("plan the party"),
      ],
    });
    expect(await tree("tomorrow")).toMatchObject({ children: [named("call Ann")] });
    expect(await tree("next_week")).toMatchObject({ children: [named("Buy oat milk")] });
    const inbox = [named("ask about the <b>train</b>"), named("order the tickets")];
    expect(await tree("inbox")).toMatchObject({ children: inbox });
    const { keys } = (await read("keys")) as { readonly keys: readonly object[] };
    expect(keys).toContainEqual(expect.objectContaining({ name: "my calendar", scope: "read" }));
    const changes = await readFile(join(folder, "changes.json"), "utf8");
    expect((JSON.parse(changes) as { changed: unknown }).changed).toMatchObject([
      { name: "ask for a raise" },
    ]);
    const event = await readFile(join(folder, "event.json"), "utf8");
    expect((JSON.parse(event) as { changed: unknown }).changed).toMatchObject([
      { name: "plan the party" },
    ]);
    const backup = JSON.parse(await readFile(join(folder, "backup.json"), "utf8")) as {
      readonly nodes: readonly unknown[];
    };
    expect(backup.nodes.length).toBeGreaterThan(8);
    const { webhook } = JSON.parse(await readFile(join(folder, "state.json"), "utf8")) as {
      readonly webhook: unknown;
    };
    expect(webhook).toMatchObject({ state: "on", kinds: ["created", "completed"] });
  },
);

test("[U111] the page's own check takes what is genuine and new, and nothing else", async () => {
  const page = await readFile(PAGE, "utf8");
  const [, code = ""] = /```js\n([^]*?isGenuine[^]*?)```/.exec(page) ?? [];
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readonly isGenuine: (secret: string, headers: object, body: string, now: number) => boolean;
  };
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const now = 1_795_000_000;
  const body = '{"type":"test"}';
  const signed = new SignedHeaders(secret, "msg_1", now * 1000);
  signed.add(Buffer.from(body));
  const headers = signed.finish();
  expect(isGenuine(secret, headers, body, now + 299)).toBe(true);
  const more = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` };
  expect(isGenuine(secret, more, body, now)).toBe(true);
  expect(isGenuine(secret, headers, body, now + 301)).toBe(false);
  expect(isGenuine(secret, headers, `${body} `, now)).toBe(false);
  expect(isGenuine(`${secret.slice(0, -2)}A=`, headers, body, now)).toBe(false);
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    expect(isGenuine(secret, { ...headers, [name]: undefined }, body, now)).toBe(false);
  }
});

test("[E5, U50] every body in the README's examples is JSON", async () => {
  const page = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, block = ""] = /```sh\n(export KEY[^]*?)```/.exec(page) ?? [];
  const bodies = [...block.matchAll(/ -d '([^']*)'/g)].map(([, body = ""]) => body);
  expect(bodies.length).toBeGreaterThan(9);
  for (const body of bodies) expect(() => JSON.parse(body) as unknown, body).not.toThrow();
});
