import { createHash } from "node:crypto";
import { operationSection, type Route } from "./docs-operation.ts";
import { DOCS_STYLE } from "./docs-style.ts";
import { html, Markup, prose } from "./markup.ts";
import type { OpenApiDocument } from "./openapi-document.ts";
import { PROBLEM_STATUS } from "../problem.ts";

/** In one piece, because the page's policy has the hash of every character in it. */
const STYLE_ELEMENT = new Markup(`<style>${DOCS_STYLE}</style>`);

/** The `Content-Security-Policy` of the page: its one style sheet, and nothing else at all. */
export function docsPolicy(): string {
  const hash = createHash("sha256").update(DOCS_STYLE).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The documentation as one HTML page without scripts, made of the OpenAPI document. */
export function docsPage(api: OpenApiDocument): string {
  const groups = api.tags.map((tag) => ({ ...tag, routes: routesOf(api, tag.name) }));
  const contents = groups.map(
    ({ name, routes }) =>
      html` <strong>${name}</strong>
        <ul>
          ${routes.map(contentsItem)}
        </ul>`,
  );
  const sections = groups.map(
    ({ name, description, routes }) =>
      html` <h2>${name}</h2>
        <p>${prose(description)}</p>
        ${routes.map((route) => operationSection(route, api.components.schemas))}`,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${api.info.title}: API</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <nav aria-label="Contents">
          <ul>
            <li><a href="#start">Start</a></li>
            <li><a href="#refusals">Refusals</a></li>
          </ul>
          ${contents}
        </nav>
        <main>${introduction(api)} ${sections} ${refusals()}</main>
      </body>
    </html> `.text;
}

function routesOf({ paths }: OpenApiDocument, tag: string): readonly Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function contentsItem({ operation }: Route): Markup {
  return html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`;
}

function introduction({ info }: OpenApiDocument): Markup {
  return html`<h1 id="start">${info.title}</h1>
    ${info.description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
    <p>The examples expect the address of the server and an API key in two variables:</p>
    <pre><code>OUTLINE=http://localhost:6683
KEY=ok_…</code></pre>
    <p>
      The same description for programs is <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
    </p>`;
}

function refusals(): Markup {
  const rows = Object.entries(PROBLEM_STATUS).map(
    ([code, status]) =>
      html`<tr>
        <td>${status}</td>
        <td><code>${code}</code></td>
      </tr>`,
  );
  return html`<h2 id="refusals">Refusals</h2>
    <p>
      ${prose("A refused request is answered with `{error, code, message}` and leaves nothing behind. With `rate_limited` there is `retry_after` too, in seconds.")}
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Code</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}
