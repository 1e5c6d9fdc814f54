import { createHash, randomBytes } from "node:crypto";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { useStage } from "../support/stage.ts";

const CALLBACK = "http://127.0.0.1:9/callback";

const stage = useStage();

interface Visit {
  readonly page: Page;
  readonly verifier: string;
  readonly clientId: string;
  /** Where the browser was sent to outside. */
  readonly left: () => string | undefined;
}

/** Opens the page as a program's link does: from another site, for which cookies are held back. */
async function visit(page: Page, scope?: string): Promise<Visit> {
  const { url } = stage.server;
  const registered = await fetch(`${url}/oauth/register`, {
    method: "POST",
    body: JSON.stringify({ client_name: "Assistant <b>", redirect_uris: [CALLBACK] }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${url}/mcp`,
    state: "s",
    ...(scope !== undefined && { scope }),
  });
  let left: string | undefined;
  await page.route(`${CALLBACK}**`, (route) => {
    left = route.request().url();
    return route.fulfill({ body: "back", contentType: "text/plain" });
  });
  const link = `${url}/oauth/authorize?${query}`.replaceAll("&", "&amp;");
  await page.route("http://assistant.example/", (route) =>
    route.fulfill({ contentType: "text/html", body: `<a id="go" href="${link}">connect</a>` }),
  );
  await page.goto("http://assistant.example/");
  await page.click("#go");
  return { page, verifier, clientId, left: () => left };
}

async function newPage(): Promise<Page> {
  const context = await stage.browser.newContext();
  onTestFinished(() => context.close());
  return context.newPage();
}

/** What axe finds to complain about. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // The script that was run above.
    const { axe: runner } = globalThis as unknown as { axe: typeof axe };
    const { violations: found } = await runner.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

async function tokensFor({ verifier, clientId, left }: Visit): Promise<Response> {
  const code = new URL(left() ?? "").searchParams.get("code") ?? "";
  return fetch(`${stage.server.url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      client_id: clientId,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    }),
  });
}

test("[J22] a person signs in, sees who asks, lets it read a part, and finds the key", async () => {
  const key = await stage.person();
  const part = await stage.server.create("Trip to **Rome**", "None", key);
  await stage.server.create("Private", "None", key);
  const page = await newPage();
  const asked = await visit(page);
  await page.getByLabel("Your key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Let Assistant <b> in?" }).waitFor();
  await page.getByText("That is a program on this computer.").waitFor();
  await page.getByText("127.0.0.1:9").waitFor();
  expect(await page.getByLabel("Only read").isChecked()).toBe(true);
  await page.getByLabel("A part").check();
  expect(await page.getByRole("button", { name: "Allow", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("Which part").fill("rome");
  await page.getByRole("button", { name: "Trip to Rome" }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await expect.poll(asked.left).toContain("code=");
  const answer = await tokensFor(asked);
  expect(answer.status).toBe(200);
  const { keys } = (await stage.server.call("GET", "keys", undefined, key)).body as {
    keys: { name: string; scope: string; root_id: string; expiresAt: number }[];
  };
  expect(keys.at(-1)).toMatchObject({ name: "Assistant <b> (127.0.0.1:9)", scope: "read" });
  expect(keys.at(-1)?.root_id.slice(-12)).toBe(part);
  expect(keys.at(-1)?.expiresAt).toBeGreaterThan(Date.now() / 1000 + 89 * 86_400);
});

test("[J22] a person who is signed in says no, and nothing is made", async () => {
  const key = await stage.person();
  const page = await newPage();
  await page.context().request.post(`${stage.server.url}/session`, { data: { key } });
  const asked = await visit(page, "read");
  await page.getByRole("heading", { name: "Let Assistant <b> in?" }).waitFor();
  expect(await page.getByLabel("Read, write and delete").count()).toBe(0);
  await page.getByRole("button", { name: "Don’t allow" }).click();
  await expect.poll(asked.left).toContain("error=access_denied");
  const { keys } = (await stage.server.call("GET", "keys", undefined, key)).body as {
    keys: unknown[];
  };
  expect(keys).toHaveLength(1);
});

test("[J27] of a request that leads elsewhere the person is told, and is sent nowhere", async () => {
  const key = await stage.person();
  const page = await newPage();
  await page.context().request.post(`${stage.server.url}/session`, { data: { key } });
  const query = new URLSearchParams({
    client_id: "nobody",
    redirect_uri: "https://evil.example/",
    response_type: "code",
  });
  await page.goto(`${stage.server.url}/oauth/authorize?${query}`);
  await page.getByText("Who asks for this can't be found out.").waitFor();
  expect(page.url()).toContain("/oauth/authorize");
});

test("[J28] the page is in no frame, and runs the service's own scripts alone", async () => {
  const response = await fetch(`${stage.server.url}/oauth/authorize?x=1`);
  expect(response.status).toBe(200);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
    expect(policy).toContain(part);
  }
  expect(policy).not.toContain("unsafe");
  expect(await response.text()).not.toMatch(/<script(?![^>]* src=)/);
});
