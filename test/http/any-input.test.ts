import fc from "fast-check";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { RawConnection } from "../support/raw-http.ts";
import { test } from "./http-test.ts";

/** Texts that have brought servers down, or that mean something to one layer or another. */
const ODD_TEXTS = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "[object Object]",
  "\0",
  "\uD800",
  "a\uDFFFb",
  "\uFEFF",
  "\r\nX-Evil: 1",
  "../../etc/passwd",
  "%00",
  "%",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "🧑‍🚀",
  "0",
  "-1",
  "1e999",
  "2026-02-30",
  "000000000000",
  "00000000-0000-0000-0000-000000000000",
  "https://x/#/",
  "#/",
  "home",
  "inbox",
  "today",
  "x".repeat(5000),
];

const oddText = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  fc.constantFrom(null, true, false, 0, -0, 1.5, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[]]),
  fc.jsonValue(),
);

/** As it arrives: what can't be sent in UTF-8 is replaced. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

const FIELDS = [
  "parent_id",
  "name",
  "note",
  "layoutMode",
  "position",
  "completed",
  "key",
  "id",
  "timezone",
  "weekStart",
  "scope",
  "root_id",
  "expiresAt",
  "__proto__",
];

/** A JSON object in text, so that keys may stand twice and values need no object to exist. */
const oddBody = fc
  .array(fc.tuple(fc.constantFrom(...FIELDS), oddValue), { maxLength: 6 })
  .map((fields) => {
    const parts = fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `{${parts.join(",")}}`;
  });

const oddSource = fc.oneof(
  { weight: 6, arbitrary: oddBody },
  fc.jsonValue().map((value) => JSON.stringify(value)),
  oddText,
);

const reference = oddText.map((text) => encodeURIComponent(wellFormed(text)));

const path = fc.oneof(
  fc.constantFrom("/nodes", "/targets", "/settings", "/keys", "/nodes-export"),
  reference.map((text) => `/nodes/${text}`),
  reference.map((text) => `/nodes?parent_id=${text}`),
  fc
    .tuple(reference, fc.constantFrom("move", "complete", "uncomplete"))
    .map(([text, verb]) => `/nodes/${text}/${verb}`),
  reference.map((text) => `/targets/${text}`),
  oddText.map((text) => `/nodes?${encodeURI(wellFormed(text))}`),
);

const REFUSAL = z.strictObject({ error: z.string(), code: z.string(), message: z.string() });
const REFUSED = new Set([400, 404, 405, 413]);

test("[E19] no odd request is answered with anything but a success or a refusal", async ({
  service,
}) => {
  const request = fc.tuple(fc.constantFrom("GET", "POST", "DELETE", "PUT"), path, oddSource);
  await fc.assert(
    fc.asyncProperty(request, async ([method, odd, source]) => {
      const body = method === "GET" ? undefined : wellFormed(source);
      const { key } = await service.newUser(`u${crypto.randomUUID()}`);
      const answer = await service.request(method, `/api/v1${odd}`, body, { key });
      if (answer.status === 200) return;
      expect(REFUSED).toContain(answer.status);
      expect(REFUSAL.safeParse(answer.body).error).toBe(undefined);
    }),
    { numRuns: 300 },
  );
  expect((await service.request("GET", "/api/v1/nodes")).status).toBe(200);
});

test("[E19] lone surrogates and NUL in JSON are stored as the text rules say", async ({
  service,
}) => {
  const source = String.raw`{"name":"a\ud800b\u0000c","note":"\udfff"}`;
  const { status, body } = await service.request("POST", "/api/v1/nodes", source);
  expect(status).toBe(200);
  const { item_id: id } = body as { item_id: string };
  const read = await service.request("GET", `/api/v1/nodes/${id}`);
  const { node } = read.body as { node: { name: string; note: string } };
  expect([node.name, node.note]).toEqual(["a\uFFFDbc", "\uFFFD"]);
});

test("[E12] bytes that are no UTF-8 are refused, and nothing is made of them", async ({
  service,
}) => {
  const { key } = await service.newUser(`u${crypto.randomUUID()}`);
  const connection = await RawConnection.open(service.url);
  onTestFinished(() => connection.close());
  const post = async (name: Buffer) => {
    const body = Buffer.concat([Buffer.from('{"name":"'), name, Buffer.from('"}')]);
    connection.request("POST /api/v1/nodes", {
      authorization: `Bearer ${key}`,
      "content-length": String(body.length),
    });
    connection.write(body);
    const { status, body: answer } = await connection.answer();
    return [status, (JSON.parse(answer) as { readonly message?: string }).message];
  };
  const long = "ü".repeat(100_000);
  // As shells write it that know nothing but Latin-1, and cut off within a letter.
  for (const name of ["ü", `${long}ü`].map((text) => Buffer.from(text, "latin1"))) {
    expect(await post(name)).toEqual([400, "The body is not UTF-8."]);
  }
  expect(await post(Buffer.from(long).subarray(0, -1))).toEqual([400, "The body is not UTF-8."]);
  expect(await post(Buffer.from(`${long}\uFFFD😀`))).toEqual([200, undefined]);
  const { body } = await service.request("GET", "/api/v1/nodes", undefined, { key });
  expect((body as { nodes: readonly { name: string }[] }).nodes.map(({ name }) => name)).toEqual([
    `${long}\uFFFD😀`,
  ]);
});
