/** A part of a JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A value of the shape that a JSON Schema describes, made of the examples in it. `resolve` finds what a $ref names.
 * Fields without an example get a plain value of their type, so that every answer has an example that holds.
 */
export function exampleOf(schema: JsonSchema, resolve: (ref: string) => JsonSchema): unknown {
  if (typeof schema.$ref === "string") return exampleOf(resolve(schema.$ref), resolve);
  if ("example" in schema) return schema.example;
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (alternatives) return exampleOf(asSchema(alternatives[0]), resolve);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(asSchema(schema.properties)).map(([name, member]) => [
          name,
          exampleOf(asSchema(member), resolve),
        ]),
      );
    case "array":
      return Array.from({ length: Number(schema.minItems ?? 1) }, () =>
        exampleOf(asSchema(schema.items), resolve),
      );
    case "integer":
    case "number":
      return typeof schema.minimum === "number" && schema.minimum > 1 ? schema.minimum : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return schema.format === "date-time"
        ? "2026-11-21T05:00:00Z"
        : schema.format === "date"
          ? "2026-11-21"
          : "text";
  }
}

function asSchema(value: unknown): JsonSchema {
  // Members of a JSON Schema are schemas; anything else has no fields to look at.
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}
