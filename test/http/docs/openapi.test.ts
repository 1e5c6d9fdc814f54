import { expect } from "vitest";
import { z } from "zod";
import type { UserId } from "../../../src/accounts/account-store.ts";
import { openApiDocument } from "../../../src/http/docs/openapi-document.ts";
import { OPERATIONS } from "../../../src/http/operations.ts";
import type { Operation } from "../../../src/http/operation.ts";
import { test } from "../http-test.ts";
import { openEvents } from "../open-events.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const DOCUMENT = openApiDocument(OPERATIONS);

function* referencesIn(value: Json): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === "$ref" && typeof part === "string") yield part;
    else yield* referencesIn(part);
  }
}

test("[E34] the document is the pinned one", async () => {
  const text = `${JSON.stringify(DOCUMENT, undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../golden/openapi.json.txt");
});

test("[E34] is served to anybody as it is made", async ({ service }) => {
  const { status, body } = await service.request("GET", "/openapi.json", undefined, { key: null });
  expect([status, body]).toEqual([200, DOCUMENT]);
});

test("[E34] every reference leads somewhere, and every component is referred to", () => {
  const { schemas, responses } = DOCUMENT.components;
  const components = [
    ...Object.keys(schemas).map((id) => `#/components/schemas/${id}`),
    ...Object.keys(responses).map((id) => `#/components/responses/${id}`),
  ];
  const references = new Set(referencesIn(JSON.parse(JSON.stringify(DOCUMENT)) as Json));
  expect([...references].toSorted()).toEqual(components.toSorted());
});

test("[E34] every operation of the service is there, and no other", ({ service }) => {
  const documented = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.length).toBe(36);
  expect(new Set(OPERATIONS.map(({ id }) => id)).size).toBe(36);
  for (const one of documented) {
    const [method = "", path = ""] = one.split(" ");
    const url = path.replace(/\{(\w+)\}/, ":$1");
    expect([one, service.app.hasRoute({ method: method as "GET", url })]).toEqual([one, true]);
    const parameters = DOCUMENT.paths[path]?.[method.toLowerCase()]?.parameters ?? [];
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((one) => one.in === "path").map(({ name }) => name)).toEqual(named);
  }
});

/** What has to be asked by the query, and what more can be answered then. */
const QUERIES = new Map([["searchNodes", "?q=&include=path,spans,count"]]);

test("[E34] what is answered is as the document says", async ({ service }) => {
  const answers = new Map<string, unknown>();
  const values: Record<string, string> = {};

  /** The data of the first event of an operation that goes on. */
  async function askForEvent(id: string): Promise<void> {
    const { body } = await service.request("GET", "/api/v1/changes");
    const events = await openEvents(service, `since=${(body as { cursor: string }).cursor}`);
    await ask("createNode");
    answers.set(id, (await events.next())?.data);
  }

  /** Asks an operation with its documented example, and remembers what it answers. */
  async function ask(id: string): Promise<unknown> {
    const operation = OPERATIONS.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    const path = operation.path.replace(/:(\w+)/, () => values[operation.tag] ?? "");
    const url = `${path}${QUERIES.get(id) ?? ""}`;
    const { status, body } = await service.request(operation.method, url, bodyOf(operation));
    expect([id, status]).toEqual([id, 200]);
    answers.set(id, body);
    return body;
  }

  function bodyOf(operation: Operation): unknown {
    const { example } = operation;
    if (typeof example !== "object" || example === null) return example;
    if (operation.id === "mirrorNode") return { ...example, parent_id: values["Other"] };
    return "id" in example ? { ...example, id: values["Nodes"] } : example;
  }

  values["Other"] = ((await ask("createNode")) as { item_id: string }).item_id;
  values["Nodes"] = ((await ask("createNode")) as { item_id: string }).item_id;
  values["Keys"] = ((await ask("createKey")) as { id: string }).id;
  values["Targets"] = "groceries";
  for (const id of ["setTarget", "listTargets", "removeTarget", "changeSettings", "getSettings"]) {
    await ask(id);
  }
  for (const id of ["updateNode", "completeNode", "uncompleteNode", "moveNode", "retrieveNode"]) {
    await ask(id);
  }
  for (const id of [
    "searchNodes",
    "listChanges",
    "readTree",
    "readDoc",
    "editDoc",
    "doBatch",
    "listBacklinks",
    "listNodes",
    "exportNodes",
    "deleteNode",
    "listKeys",
    "revokeKey",
  ]) {
    await ask(id);
  }
  values["Nodes"] = ((await ask("createNode")) as { item_id: string }).item_id;
  values["Nodes"] = ((await ask("mirrorNode")) as { item_id: string }).item_id;
  await ask("removeMirror");
  await service.signIn();
  const [session] = await service.accounts.listSessions(service.user as UserId);
  values["Sessions"] = session?.id ?? "";
  for (const id of ["listSessions", "endSession", "endSessions"]) await ask(id);
  values["Webhooks"] = ((await ask("createWebhook")) as { id: string }).id;
  for (const id of ["listWebhooks", "retrieveWebhook", "changeWebhook", "testWebhook"]) {
    await ask(id);
  }
  await ask("removeWebhook");
  for (const { id, isEndless } of OPERATIONS) if (isEndless === true) await askForEvent(id);
  for (const { id, answer } of OPERATIONS) {
    expect([id, answer.safeParse(answers.get(id)).error]).toEqual([id, undefined]);
  }
});

test("[E34] what is refused is as the document says", async ({ service }) => {
  const problem = z.fromJSONSchema(
    DOCUMENT.components.schemas["Problem"] as Parameters<typeof z.fromJSONSchema>[0],
  );
  for (const [method, path] of [
    ["GET", "/api/v1/nothing"],
    ["PUT", "/api/v1/nodes"],
    ["POST", "/api/v1/nodes"],
  ] as const) {
    const { body } = await service.request(method, path);
    expect(problem.safeParse(body).error).toBe(undefined);
    expect(problem.safeParse({ ...(body as object), more: 1 }).success).toBe(false);
  }
});
