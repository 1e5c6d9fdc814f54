import { describe, expect } from "vitest";
import { OUTLINE_FORMATS, type OutlineFormat } from "../../src/formats/outline-format.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { readerOf } from "../../src/formats/reader-of.ts";
import { readAll } from "../formats/read-outline.ts";
import { startService, type TestService } from "../support/service.ts";
import { Api, shortIdOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { plant } from "./support/sketch.ts";

const FILES = OUTLINE_FORMATS.filter((format) => format !== "json");
const LIMITS = { maxNodes: 1000, maxDepth: 100, maxTextBytes: 100_000 };

type Service = Pick<TestService, "url" | "request">;

/** The answer to an export, which is no JSON. */
async function exported({ url }: Service, { key }: Api, query: string): Promise<Response> {
  return fetch(`${url}/api/v1/nodes-export?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

async function fileOf(service: Service, api: Api, query: string): Promise<string> {
  const response = await exported(service, api, query);
  expect(response.status).toBe(200);
  return response.text();
}

function readBack(text: string, format: OutlineFormat): readonly OutlineEntry[] {
  const read = readAll(readerOf(format, LIMITS), text);
  if (read.kind !== "read") throw new Error(read.reason);
  return read.entries;
}

/** Not a part of the contract that `Api` holds answers against. */
async function mirror(service: Service, { key = "" }: Api, of: string, to: string): Promise<void> {
  const body = { parent_id: to, position: "bottom" };
  const { status } = await service.request("POST", `/api/v1/nodes/${of}/mirror`, body, { key });
  expect(status).toBe(200);
}

/** A part with notes, layouts, completed lines, links and a mirror of what is in it. */
async function plantPart(service: Service, api: Api): Promise<string> {
  const part = await api.create({ name: "Trip **2026**", note: "where\nand when" });
  const add = (fields: object) => api.create({ parent_id: part, position: "bottom", ...fields });
  const todo = await add({ name: "book *trains*", layoutMode: "todo", note: "one\n\n<b>two</b>" });
  await api.create({ parent_id: todo, name: "done", layoutMode: "todo", completed: true });
  await add({ name: "plain and completed", completed: true });
  await add({ name: "a `b` & c", layoutMode: "quote-block" });
  await add({ name: "x = 1", layoutMode: "code-block" });
  await mirror(service, api, todo, part);
  const section = await add({ name: "Section", layoutMode: "h2" });
  await api.create({ parent_id: section, name: "below [a link](https://example.org/a_b)" });
  return part;
}

describe("exports as files", () => {
  test("[U43] OPML of a part is read back as what the JSON of it is", async ({ service, api }) => {
    const part = await plantPart(service, api);
    await plant(api, "beside(it)");
    const opml = readBack(await fileOf(service, api, `root=${part}&format=opml`), "opml");
    const json = readBack(await fileOf(service, api, `root=${part}`), "json");
    expect(opml).toEqual(json);
    expect(opml).toHaveLength(9);
    expect(opml.filter(({ origin }) => origin !== undefined)).toHaveLength(1);
    expect(await fileOf(service, api, `root=${part}&format=json`)).toBe(
      await fileOf(service, api, `root=${part}`),
    );
  });

  test("[U43] markdown and text of a part have what these can hold", async ({ service, api }) => {
    const part = await plantPart(service, api);
    const markdown = await fileOf(service, api, `root=${part}&format=markdown`);
    expect(markdown).toBe(`- Trip **2026**
  > where
  > and when
  - [ ] book *trains*
    > one
    >
    > **two**
    - [x] done
  - [x] plain and completed
  - > a \`b\` &amp; c
  - \`\`\`
    x = 1
    \`\`\`
  - [ ] book *trains*
    > one
    >
    > **two**
  - ## Section
    - below [a link](https://example.org/a_b)
`);
    expect(readBack(markdown, "markdown").map(({ depth, name }) => [depth, name])).toEqual(
      readBack(await fileOf(service, api, `root=${part}`), "json").map(({ depth, name }) => [
        depth,
        name,
      ]),
    );
    expect(await fileOf(service, api, `root=${part}&format=text`)).toBe(`Trip 2026
\t> where
\t> and when
\t[ ] book trains
\t\t> one
\t\t>
\t\t> two
\t\t[x] done
\t[x] plain and completed
\ta b & c
\tx = 1
\t[ ] book trains
\t\t> one
\t\t>
\t\t> two
\tSection
\t\tbelow a link
`);
  });

  test("[U43] a file says what it is, and how to call it", async ({ service, api }) => {
    const part = await api.create({ name: 'Über *"a/b"* 100%' });
    const shown: unknown[] = [];
    for (const format of FILES) {
      for (const root of [part, "None"]) {
        const { headers } = await exported(service, api, `root=${root}&format=${format}`);
        shown.push([headers.get("content-type"), headers.get("content-disposition")]);
      }
    }
    const user = ((await service.accounts.authenticate(api.key ?? ""))?.user ?? "").toString();
    const of = (extension: string) => [
      `attachment; filename="_ber ab 100.${extension}"; filename*=UTF-8''%C3%9Cber%20ab%20100.${extension}`,
      `attachment; filename="${user}.${extension}"; filename*=UTF-8''${user}.${extension}`,
    ];
    const types = ["text/x-opml", "text/markdown", "text/plain"];
    const expected = ["opml", "md", "txt"].flatMap((extension, index) =>
      of(extension).map((disposition) => [`${types[index]}; charset=utf-8`, disposition]),
    );
    expect(shown).toEqual(expected);
    const json = await exported(service, api, `root=${part}`);
    expect(json.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(json.headers.get("content-disposition")).toBe(null);
    expect(await fileOf(service, api, `root=${part}&format=opml`)).toContain(
      "<title>Über &quot;a/b&quot; 100%</title>",
    );
  });

  test("[U43] the name of a file has its letters whole, and its title too", async ({
    service,
    api,
  }) => {
    const names: string[] = [];
    const marks = await api.create({ name: "हिन्दी, e\u0301té" });
    const long = await api.create({ name: `${"x".repeat(199)}𝒳` });
    for (const root of [marks, long]) {
      const { headers } = await exported(service, api, `root=${root}&format=text`);
      const encoded = headers.get("content-disposition")?.split("UTF-8''")[1] ?? "";
      names.push(decodeURIComponent(encoded));
    }
    expect(names).toEqual(["हिन्दी e\u0301té.txt", `${"x".repeat(60)}.txt`]);
    expect(await fileOf(service, api, `root=${long}&format=opml`)).toContain(
      `<title>${"x".repeat(199)}</title>`,
    );
  });

  test("[U43, A66, A67] keys see in files what they see in JSON", async ({ service, api }) => {
    const id = await plant(api, "secret(origin(hidden)) part(inside)");
    await mirror(service, api, id("origin"), id("part"));
    await api.update(id("origin"), { note: "hidden too", completed: true });
    const limited = await api.keyed({ name: "part", root_id: id("part"), scope: "read" });
    const reader = await api.keyed({ name: "reader", scope: "read" });
    for (const format of FILES) {
      const all = await fileOf(service, reader, `format=${format}`);
      expect(all).toContain("hidden too");
      for (const query of ["", `root=${id("part")}&`, "root=None&"]) {
        const text = await fileOf(service, limited, `${query}format=${format}`);
        expect(text).toContain("inside");
        for (const other of ["secret", "origin", "hidden", shortIdOf(id("origin"))]) {
          expect(text, format).not.toContain(other);
        }
      }
      expect(
        await limited.outcome("GET", `/nodes-export?root=${id("secret")}&format=${format}`),
      ).toBe("404 not_found");
      expect(await api.outcome("GET", `/nodes-export?root=nothing&format=${format}`)).toBe(
        "404 not_found",
      );
    }
    // That it is there is all that is said of the mirror.
    expect(await fileOf(service, limited, "format=text")).toBe("part\n\tinside\n\n");
    for (const format of ["pdf", "", "OPML"]) {
      expect(await api.outcome("GET", `/nodes-export?format=${format}`)).toBe(
        "400 invalid_request",
      );
    }
  });

  test("[U43] only all of it is limited to once a minute, in whichever format", async ({
    clock,
    onTestFinished,
  }) => {
    const service = await startService({ now: clock.now, exportLimitMs: 60_000 });
    onTestFinished(() => service.close());
    const api = new Api(service.url, service.key);
    const id = await plant(api, "a(b)");
    const statuses: number[] = [];
    for (const format of OUTLINE_FORMATS) {
      for (const root of [id("a"), "None", id("a")]) {
        const response = await exported(service, api, `root=${root}&format=${format}`);
        statuses.push(response.status);
        await response.text();
      }
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 200, 200, 429, 200, 200, 429, 200]);
  });

  test("[U43, E20] HEAD says what GET would, and takes nothing from the limit", async ({
    service,
    api,
  }) => {
    const head = await fetch(`${service.url}/api/v1/nodes-export?format=markdown`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${api.key}` },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(head.headers.get("content-disposition")).toContain(".md");
    expect(await head.text()).toBe("");
  });
});
