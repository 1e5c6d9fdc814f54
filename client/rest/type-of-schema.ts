import type { JsonSchema } from "../../src/http/docs/openapi-document.ts";

/** The pattern of a text that is a number: a part of an address. */
const DIGITS = /^\^(?:\[1-9\])?\[0-9\][*+{]/;

/**
 * The TypeScript type of a JSON schema, as far as the API's description goes. What is answered and what
 * is sent are told in the same way.
 *
 * @throws Error for what it does not know: the type would be wrong
 */
export function typeOf(schema: JsonSchema): string {
  const { $ref: reference, const: constant, enum: values, type } = schema;
  if (typeof reference === "string") return reference.slice(reference.lastIndexOf("/") + 1);
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) {
    return `(${(choices as readonly JsonSchema[]).map((each) => typeOf(each)).join(" | ")})`;
  }
  // What is never there.
  if (isEmpty(schema["not"])) return "never";
  if (isEmpty(schema)) return "unknown";
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(" | ");
  switch (type) {
    case "string":
      return DIGITS.test(String(schema["pattern"])) ? "number | string" : type;
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayOf(schema);
    case "object":
      return objectOf(schema);
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}

function arrayOf({ prefixItems, items }: JsonSchema): string {
  if (Array.isArray(prefixItems)) {
    return `readonly [${(prefixItems as readonly JsonSchema[]).map((each) => typeOf(each)).join(", ")}]`;
  }
  return `readonly (${typeOf(items as JsonSchema)})[]`;
}

function objectOf({ properties, required = [], additionalProperties }: JsonSchema): string {
  const known = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  const needed = new Set(required as readonly string[]);
  const fields = known.map(([name, schema]) => propertyOf(name, schema, needed.has(name)));
  if (known.length === 0 && typeof additionalProperties === "object") {
    return `Readonly<Record<string, ${typeOf(additionalProperties as JsonSchema)}>>`;
  }
  return `{ ${fields.join("; ")} }`;
}

export function propertyOf(name: string, schema: JsonSchema, isNeeded: boolean): string {
  const type = typeOf(schema);
  return `readonly ${name}${isNeeded ? `: ${type}` : `?: ${type} | undefined`}`;
}
