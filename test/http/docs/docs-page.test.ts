import { createHash } from "node:crypto";
import { expect } from "vitest";
import { html, Markup, prose } from "../../../src/http/docs/markup.ts";
import { OPERATIONS } from "../../../src/http/operations.ts";
import { test } from "../http-test.ts";

test("[E35] the page names and calls every operation", async ({ service }) => {
  const { status, headers, body } = await service.request("GET", "/docs", undefined, { key: null });
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const page = String(body);
  for (const { id, summary, method, path } of OPERATIONS) {
    const [section = ""] = page.split(`id="${id}">`)[1]?.split("</section>") ?? [];
    expect(section).toContain(`<h3>${summary}</h3>`);
    expect(section).toContain(`${method}</span><code>${path.replace(/:(\w+)/, "{$1}")}</code>`);
    expect(section).toMatch(/<pre><code>curl .*Authorization: Bearer \$KEY/s);
  }
});

test("[E35] every link of the page leads to a place on it, or to the document", async ({
  service,
}) => {
  const page = String((await service.request("GET", "/docs")).body);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`);
  expect(new Set(ids).size).toBe(ids.length);
  const links = [...page.matchAll(/ href="([^"]+)"/g)].map(([, link]) => link);
  expect(links.filter((link) => !ids.includes(link ?? ""))).toEqual(["/openapi.json"]);
});

test("[E35] the page has no script and no style but the one it is allowed", async ({ service }) => {
  const { headers, body } = await service.request("GET", "/docs");
  const page = String(body);
  expect(page).not.toMatch(
    /<script|<link|<img|<iframe| style=| on\w+=|javascript:|https?:\/\/(?!localhost|example\.org)/i,
  );
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style ?? "");
  expect(styles.length).toBe(1);
  const hash = createHash("sha256")
    .update(styles[0] ?? "")
    .digest("base64");
  expect(headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
  expect(styles[0]).toContain("prefers-color-scheme: dark");
});

test("[E35] values in a template are escaped, markup is not", () => {
  const evil = `<b>&"'`;
  expect(html`<p title="${evil}">${evil}${new Markup("<i>")}${[html`<u>${1}</u>`]}</p>`.text).toBe(
    `<p title="&lt;b&gt;&amp;&quot;&#39;">&lt;b&gt;&amp;&quot;&#39;<i><u>1</u></p>`,
  );
  expect(html`${prose("a `<b>` c")}`.text).toBe("a <code>&lt;b&gt;</code> c");
});
