export type JsonSchema = Readonly<Record<string, unknown>>;

/** What `exampleOf` needs besides the schema. */
export interface ExampleSource {
  /** Resolves a $ref. */
  resolve: (ref: string) => JsonSchema;
  /** The examples of fields by name: `Schema.field` or `list.field` takes precedence over `field`. */
  fields: Readonly<Record<string, unknown>>;
}

/**
 * Composes an example value of a JSON Schema from the examples of its fields. Throws if a field has none, so that no
 * answer is documented with invented text.
 */
export function exampleOf(schema: JsonSchema, source: ExampleSource, within = ""): unknown {
  if (typeof schema.$ref === "string")
    return exampleOf(
      source.resolve(schema.$ref),
      source,
      schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1),
    );
  if ("const" in schema) return schema.const;
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (alternatives) return exampleOf(asSchema(alternatives[0]), source, within);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") {
    return Object.fromEntries(
      Object.entries(asSchema(schema.properties)).map(([name, member]) => [
        name,
        fieldExample(name, asSchema(member), source, within),
      ]),
    );
  }
  if (type === "array") return [exampleOf(asSchema(schema.items), source, within)];
  throw new Error(`${within || "the answer"} needs an example`);
}

function fieldExample(name: string, schema: JsonSchema, source: ExampleSource, within: string): unknown {
  if ("const" in schema) return schema.const;
  for (const key of [`${within}.${name}`, name]) if (key in source.fields) return source.fields[key];
  if ("example" in schema) return schema.example;
  try {
    return exampleOf(schema, source, name);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(`${name} needs`))
      throw new Error(`${within}.${name} needs an example in lib/api/openapi/examples.ts`);
    throw error;
  }
}

function asSchema(value: unknown): JsonSchema {
  // The cast is safe: an object inside a JSON Schema is read as a schema.
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}
