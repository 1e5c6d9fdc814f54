import type { Plugin } from "vite";
import {
  type ApiOperation,
  type JsonSchema,
  openApiDocument,
} from "../../src/http/docs/openapi-document.ts";
import { OPERATIONS } from "../../src/http/operations.ts";
import type { RestRoute } from "./rest-client.ts";
import { propertyOf, typeOf } from "./type-of-schema.ts";

/** Makes the REST client from the description of the API: its routes, and the types of each. */
export function restFiles(): Plugin {
  return {
    name: "outline:rest-files",
    apply: "build",
    generateBundle() {
      const { routes, types } = restOfDocument();
      this.emitFile({ type: "asset", fileName: "rest.js", source: scriptOf(routes) });
      this.emitFile({ type: "asset", fileName: "rest.d.ts", source: types });
    },
  };
}

function scriptOf(routes: Readonly<Record<string, RestRoute>>): string {
  return `import { restOf } from "./rest-client.js";

export { RestError } from "./rest-client.js";

const ROUTES = ${JSON.stringify(routes, undefined, 2)};

export function restClient(options) {
  return restOf(ROUTES, options);
}
`;
}

function restOfDocument() {
  const { paths, components } = openApiDocument(OPERATIONS);
  const routes: Record<string, RestRoute> = {};
  const methods: string[] = [];
  for (const [path, byMethod] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(byMethod)) {
      const { content } = operation.responses[200];
      // A stream of events is for an EventSource.
      if (!("application/json" in content)) continue;
      const { operationId, parameters = [] } = operation;
      const query = parameters.filter((each) => each.in === "query").map(({ name }) => name);
      const bodyFields = fieldsOf(operation, components.schemas);
      const twice = parameters.find(({ name }) => bodyFields.includes(name));
      if (twice !== undefined) {
        throw new Error(`${operationId} has ${twice.name} in its address and in its body`);
      }
      routes[operationId] = { method: method.toUpperCase(), path, query };
      const mayBeFile = Object.keys(content).length > 1;
      const answer = typeOf(content["application/json"].schema);
      methods.push(methodOf(operation, mayBeFile ? `${answer} | string` : answer));
    }
  }
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `${commentOf(schema["description"])}export type ${name} = ${typeOf(schema)};`,
  );
  const types = `import type { CallOptions, RestOptions } from "./types/client/rest/rest-client.js";

export { RestError } from "./types/client/rest/rest-client.js";
export type { CallOptions, RestOptions };

/** The operations of the API. Each rejects with a \`RestError\` when it is refused. */
export interface Rest {
${methods.join("\n")}
}

export declare function restClient(options: RestOptions): Rest;

${schemas.join("\n\n")}
`;
  return { routes, types };
}

function fieldsOf(
  { requestBody }: ApiOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
): readonly string[] {
  const body = requestBody?.content["application/json"].schema;
  const schema = body === undefined ? undefined : schemas[typeOf(body)];
  return Object.keys(schema?.["properties"] ?? {});
}

function methodOf(
  { operationId, summary, parameters = [], requestBody, responses }: ApiOperation,
  answer: string,
): string {
  const own = parameters
    .filter((each) => each.in !== "header")
    .map(({ name, required, schema }) => propertyOf(name, schema, required));
  const body = requestBody?.content["application/json"].schema;
  const parts = [
    ...(own.length > 0 ? [`{ ${own.join("; ")} }`] : []),
    ...(body === undefined ? [] : [typeOf(body)]),
  ];
  const isNeeded = parameters.some((each) => each.required) || requestBody?.required === true;
  const input = parts.length === 0 ? "Readonly<Record<string, never>>" : parts.join(" & ");
  const mayBeKnown = "304" in responses ? " | undefined" : "";
  return `  /** ${summary}. */
  ${operationId}(input${isNeeded ? "" : "?"}: ${input}, options?: CallOptions): Promise<${answer}${mayBeKnown}>;`;
}

function commentOf(description: unknown): string {
  return typeof description === "string" ? `/** ${description.replaceAll("*/", "* /")} */\n` : "";
}
