/** The part of JSON Schema that the API's document uses. A keyword beyond it is an error here. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

const ANNOTATIONS = new Set(["description", "examples", "$schema", "$id"]);

type Check = (value: unknown, operand: unknown, schema: Schema, schemas: Schemas) => boolean;

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, Schema>>;

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, types) => [types].flat().some((type) => isOfType(value, String(type))),
  enum: (value, values) => (values as readonly unknown[]).includes(value),
  const: (value, constant) => value === constant,
  pattern: (value, pattern) =>
    typeof value !== "string" || new RegExp(String(pattern), "u").test(value),
  minLength: (value, least) =>
    typeof value !== "string" || Array.from(value).length >= Number(least),
  maxLength: (value, most) => typeof value !== "string" || Array.from(value).length <= Number(most),
  minimum: (value, least) => typeof value !== "number" || value >= Number(least),
  maximum: (value, most) => typeof value !== "number" || value <= Number(most),
  exclusiveMinimum: (value, least) => typeof value !== "number" || value > Number(least),
  anyOf: (value, options, _schema, schemas) =>
    (options as readonly Schema[]).some((option) => fits(value, option, schemas)),
  $ref: (value, uri, _schema, schemas) => fits(value, schemaAt(String(uri), schemas), schemas),
  required: (value, names) =>
    !isObject(value) || (names as readonly string[]).every((name) => Object.hasOwn(value, name)),
  properties: (value, properties, _schema, schemas) =>
    !isObject(value) ||
    Object.entries(properties as Schemas).every(
      ([name, schema]) => !Object.hasOwn(value, name) || fits(value[name], schema, schemas),
    ),
  additionalProperties: (value, allowed, { properties = {} }, schemas) =>
    !isObject(value) ||
    Object.entries(value)
      .filter(([name]) => !Object.hasOwn(properties as object, name))
      .every(([, extra]) =>
        typeof allowed === "boolean" ? allowed : fits(extra, allowed as Schema, schemas),
      ),
  minItems: (value, least) => !Array.isArray(value) || value.length >= Number(least),
  maxItems: (value, most) => !Array.isArray(value) || value.length <= Number(most),
  prefixItems: (value, items, _schema, schemas) =>
    !Array.isArray(value) ||
    (items as readonly Schema[]).every(
      (item, at) => at >= value.length || fits(value[at], item, schemas),
    ),
  items: (value, items, { prefixItems = [] }, schemas) =>
    !Array.isArray(value) ||
    value
      .slice((prefixItems as readonly Schema[]).length)
      .every((item) => fits(item, items as Schema, schemas)),
};

/** Whether a value is as a schema says. @throws Error for a keyword that is not known here */
export function fits(value: unknown, schema: Schema, schemas: Schemas): boolean {
  return Object.entries(schema).every(([keyword, operand]) => {
    if (ANNOTATIONS.has(keyword)) return true;
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`no check for the keyword ${keyword}`);
    return check(value, operand, schema, schemas);
  });
}

/** The schema that a reference within the document means. */
export function schemaAt(uri: string, schemas: Schemas): Schema {
  const schema = schemas[uri.split("/").at(-1) ?? ""];
  if (schema === undefined) throw new Error(`no schema ${uri}`);
  return schema;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
}
