import type { JsonSchema } from "./openapi-document.ts";

const REFERENCE = /^#\/components\/schemas\/(\w+)$/;

/** What a `$ref` points at; the schema itself when it is none. */
export function resolved(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const id = typeof schema["$ref"] === "string" ? REFERENCE.exec(schema["$ref"])?.[1] : undefined;
  return (id === undefined ? undefined : components[id]) ?? schema;
}

/** A value that a schema allows: its own example, else one made of its parts; null without any. */
export function exampleOf(
  source: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): unknown {
  const schema = resolved(source, components);
  const { examples, properties, items } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  if (Array.isArray(schema["anyOf"]))
    return exampleOf(schema["anyOf"][0] as JsonSchema, components);
  if (typeof properties === "object" && properties !== null) {
    const fields = Object.entries(properties as Record<string, JsonSchema>);
    return Object.fromEntries(
      fields.map(([name, property]) => [name, exampleOf(property, components)]),
    );
  }
  if (typeof items === "object") return [exampleOf(items as JsonSchema, components)];
  return null;
}

/** The type of a field in a few words. That it may be null as well goes without saying. */
export function typeOf(
  source: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): string {
  const schema = resolved(source, components);
  const { anyOf, enum: words, type } = schema;
  if (Array.isArray(anyOf)) return typeOf(anyOf[0] as JsonSchema, components);
  if (Array.isArray(words)) return words.map(String).join(", ");
  return [type]
    .flat()
    .filter((name) => name !== "null")
    .join(" or ");
}

/** What a schema says of itself, or says of itself when it is not null. */
export function descriptionOf(
  source: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
): string {
  const { description, anyOf } = resolved(source, components);
  if (typeof description === "string") return description;
  return Array.isArray(anyOf) ? descriptionOf(anyOf[0] as JsonSchema, components) : "";
}
