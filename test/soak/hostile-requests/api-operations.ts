import type { Schema, Schemas } from "./json-schema.ts";

/** An operation as the service's own OpenAPI document describes it. */
export interface ApiOperation {
  readonly id: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** `/api/v1/nodes/{id}` */
  readonly path: string;
  /** The field of its query that takes a reference to a node. */
  readonly reference: "parent_id" | "root" | undefined;
  /** What its query has to have besides: fields with a value, each behind a `&`. */
  readonly needed: string;
  readonly body: Schema | undefined;
  readonly answer: Schema;
  /** It answers with events that do not end by themselves; `answer` is their data. */
  readonly isEndless: boolean;
  /** Content types of what else it answers, which is text. */
  readonly fileTypes: ReadonlySet<string>;
  /** Status codes that it may be answered with. */
  readonly statuses: ReadonlySet<number>;
}

export interface Api {
  readonly operations: readonly ApiOperation[];
  readonly schemas: Schemas;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Schemas };
}

interface Content {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

interface EventContent {
  readonly content: { readonly "text/event-stream": { readonly schema: Schema } };
}

interface DocumentOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly requestBody?: Content;
  readonly responses: { readonly 200: Content | EventContent };
}

/** Reads the document of a running service: what is added to it is attacked without being told. */
export async function apiOf(url: string): Promise<Api> {
  const response = await fetch(`${url}/openapi.json`);
  // As its own tests say that it is.
  const { paths, components } = (await response.json()) as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase() as ApiOperation["method"],
      path,
      reference: referenceOf(operation),
      needed: neededBy(operation),
      body: operation.requestBody?.content["application/json"].schema,
      ...answerOf(operation),
      statuses: new Set(Object.keys(operation.responses).map(Number)),
    })),
  );
  return { operations, schemas: components.schemas };
}

function answerOf({
  responses,
}: DocumentOperation): Pick<ApiOperation, "answer" | "isEndless" | "fileTypes"> {
  const { content } = responses[200];
  if (!("application/json" in content)) {
    const { schema } = content["text/event-stream"];
    return { answer: schema, isEndless: true, fileTypes: new Set() };
  }
  const { "application/json": json, ...files } = content;
  return { answer: json.schema, isEndless: false, fileTypes: new Set(Object.keys(files)) };
}

function referenceOf({ parameters = [] }: DocumentOperation): ApiOperation["reference"] {
  const isThere = (field: string): boolean => parameters.some(({ name }) => name === field);
  return (["parent_id", "root"] as const).find(isThere);
}

function neededBy({ parameters = [] }: DocumentOperation): string {
  const needed = parameters.filter((field) => field.in === "query" && field.required);
  return needed.map(({ name }) => `&${name}=x`).join("");
}
