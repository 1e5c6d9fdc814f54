import { html, prose, type Markup } from "./markup.ts";
import type { ApiOperation, JsonSchema } from "./openapi-document.ts";
import { descriptionOf, exampleOf, resolved, typeOf } from "./schema-example.ts";

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

type Components = Readonly<Record<string, JsonSchema>>;

/** One operation on the documentation page: what it does and takes, a call, and its answer. */
export function operationSection(route: Route, components: Components): Markup {
  const { method, path, operation } = route;
  const fields = [...parameterFields(operation, components), ...bodyFields(operation, components)];
  return html` <section class="operation" id="${operation.operationId}">
    <h3>${operation.summary}</h3>
    <p class="route"><span class="method">${method}</span><code>${path}</code></p>
    <p>${prose(operation.description)}</p>
    ${fields.length === 0 ? [] : fieldTable(fields)}
    <h4>Call</h4>
    <pre><code>${curlCall(route, components)}</code></pre>
    <h4>Answer</h4>
    <pre><code>${answerExample(operation, components)}</code></pre>
  </section>`;
}

function fieldTable(fields: readonly Field[]): Markup {
  const rows = fields.map(
    ({ name, type, required, description }) =>
      html` <tr>
        <td><code>${name}</code></td>
        <td>${type}${required ? "" : ", optional"}</td>
        <td>${prose(description)}</td>
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function parameterFields(operation: ApiOperation, components: Components): readonly Field[] {
  return (operation.parameters ?? []).map(({ name, required, description = "", schema }) => ({
    name,
    type: typeOf(schema, components),
    required,
    description,
  }));
}

function bodyFields({ requestBody }: ApiOperation, components: Components): readonly Field[] {
  const source = requestBody?.content["application/json"].schema;
  if (source === undefined) return [];
  const { properties, required } = resolved(source, components);
  const names = Array.isArray(required) ? required : [];
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    type: typeOf(schema, components),
    required: names.includes(name),
    description: descriptionOf(schema, components),
  }));
}

function curlCall({ method, path, operation }: Route, components: Components): string {
  const samples = new Map(
    (operation.parameters ?? []).map(({ name, schema }) => [
      name,
      String(exampleOf(schema, components)),
    ]),
  );
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => samples.get(name) || "ID");
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query")
    .map(({ name }) => `${name}=${samples.get(name)}`)
    .join("&");
  const address = `$OUTLINE${filled}${query === "" ? "" : `?${query}`}`;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`,
    '  -H "Authorization: Bearer $KEY"',
  ];
  const example = operation.requestBody?.content["application/json"].example;
  if (example !== undefined) {
    lines.push("  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(example)}'`);
  }
  return lines.join(" \\\n");
}

function answerExample({ responses }: ApiOperation, components: Components): string {
  const { content } = responses[200];
  if ("application/json" in content) {
    const { schema } = content["application/json"];
    return JSON.stringify(exampleOf(schema, components), undefined, 2);
  }
  const { schema } = content["text/event-stream"];
  const data = JSON.stringify(exampleOf(schema, components));
  return `event: changes\ndata: ${data}\nid: CURSOR`;
}
