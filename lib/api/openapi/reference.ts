import { ERRORS, type ErrorCode } from "@/lib/wire/errors";
import { makeOpenApiDocument } from "./document";
import type { JsonSchema } from "./example-of";
import { errorsOf, type Operation } from "./operation";

/** A parameter, or a field of a body, in the API reference. */
export interface ReferenceField {
  /** Name of the field; of a nested one with its parents, such as `items[].symbol`. */
  name: string;
  type: string;
  required: boolean;
  /** Meaning, bounds and default; empty if the name and the type are enough. */
  meaning: string;
}

export interface ReferenceError {
  status: number;
  code: ErrorCode;
  detail: string;
}

/** An operation in the API reference. */
export interface ReferenceOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  access: Operation["access"];
  parameters: ReferenceField[];
  body: { fields: ReferenceField[]; example: unknown } | null;
  answer: { status: number; description: string; fields: ReferenceField[]; example: unknown };
  curl: string;
  errors: ReferenceError[];
}

export interface ReferenceGroup {
  name: string;
  description: string;
  operations: ReferenceOperation[];
}

/** The operations for the API reference, grouped by tag, with their parameters, answers and errors. */
export function makeReference(operations: readonly Operation[], baseUrl: string): ReferenceGroup[] {
  const document = makeOpenApiDocument(operations, baseUrl);
  const schemas = document.components?.schemas ?? {};
  const resolve = (schema: JsonSchema): JsonSchema => {
    if (typeof schema.$ref !== "string") return schema;
    return { ...schemas[schema.$ref.replace("#/components/schemas/", "")] };
  };
  return (document.tags ?? []).map(({ name, description = "" }) => ({
    name,
    description,
    operations: operations
      .filter((operation) => operation.tag === name)
      .map((operation) => {
        const described = asObject(asObject(asObject(document.paths)[operation.path])[operation.method]);
        const answer = contentOf(asObject(asObject(described.responses)[String(operation.ok.status)]));
        const body = operation.body ? contentOf(asObject(described.requestBody)) : null;
        const parameters = asList(described.parameters)
          // The guides explain the request headers once, for all operations.
          .filter((parameter) => parameter.in !== "header")
          .toSorted((a, b) => Number(b.in === "path") - Number(a.in === "path"))
          .map((parameter) => parameterField(parameter, resolve));
        return {
          id: operation.id,
          method: operation.method.toUpperCase(),
          path: operation.path,
          summary: operation.summary,
          description: operation.description,
          access: operation.access,
          parameters,
          body: body && { fields: fieldsOf(body.schema, resolve), example: body.example },
          answer: {
            status: operation.ok.status,
            description: operation.ok.description,
            fields: fieldsOf(answer.schema, resolve),
            example: answer.example,
          },
          curl: curlOf(operation, baseUrl),
          errors: errorsOf(operation)
            .map((code) => ({ code, status: ERRORS[code].status, detail: ERRORS[code].detail }))
            .sort((a, b) => a.status - b.status),
        };
      }),
  }));
}

function contentOf(holder: JsonSchema): { schema: JsonSchema; example: unknown } {
  const content = asObject(asObject(holder.content)["application/json"]);
  return { schema: asObject(content.schema), example: content.example };
}

function parameterField(parameter: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): ReferenceField {
  const schema = resolve(asObject(parameter.schema));
  const description = parameter.description ?? schema.description;
  return {
    name: String(parameter.name),
    type: parameter.in === "path" ? `${typeWords(schema, resolve)}, in the path` : typeWords(schema, resolve),
    required: parameter.required === true,
    meaning: meaningOf({ ...schema, description }),
  };
}

/** All fields of a schema, nested ones after their parent. A union lists each field once. */
function fieldsOf(
  given: JsonSchema,
  resolve: (schema: JsonSchema) => JsonSchema,
  prefix = "",
): ReferenceField[] {
  const schema = resolve(given);
  const alternatives = asList(schema.anyOf ?? schema.oneOf);
  if (alternatives.length > 0) {
    const members = alternatives.map((alternative) => fieldsOf(alternative, resolve, prefix));
    const names = [...new Set(members.flat().map((field) => field.name))];
    return names.flatMap((name) => {
      const found = members.flatMap((fields) => fields.filter((field) => field.name === name));
      const [first] = found;
      if (!first) return [];
      const everywhere = found.length >= members.filter((fields) => fields.length > 0).length;
      return [{ ...first, required: everywhere && found.every((field) => field.required) }];
    });
  }
  if (schema.type === "array") return fieldsOf(asObject(schema.items), resolve, `${prefix}[]`);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(asObject(schema.properties)).flatMap(([key, value]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const member = asObject(value);
    const own = resolve(member);
    const field = {
      name,
      type: typeWords(member, resolve),
      required: required.has(key),
      meaning: meaningOf({ ...own, ...member }),
    };
    return [field, ...fieldsOf(member, resolve, name)];
  });
}

/** The type in words: `integer`, `string or null`, `list of objects`, `"BUY", "SELL" or "NO_TRADE"`. */
function typeWords(given: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): string {
  const schema = resolve(given);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return listed(schema.enum.map((value) => JSON.stringify(value)));
  const alternatives = asList(schema.anyOf ?? schema.oneOf);
  if (alternatives.length > 0)
    return listed([...new Set(alternatives.map((alternative) => typeWords(alternative, resolve)))]);
  if (Array.isArray(schema.type))
    return listed(schema.type.map((type) => (type === "null" ? "null" : formatted(String(type), schema))));
  if (schema.type === "array") {
    const items = resolve(asObject(schema.items));
    return `list of ${items.type === "object" || asList(items.anyOf).length > 0 ? "objects" : typeWords(items, resolve)}`;
  }
  return schema.type === undefined ? "anything" : formatted(String(schema.type), schema);
}

function formatted(type: string, schema: JsonSchema): string {
  if (schema.format === "date-time") return "date and time";
  if (schema.format === "date") return "date";
  if (schema.format === "int64") return "64-bit integer";
  return type;
}

/** A value's description with its bounds and default, in sentences. */
function meaningOf(schema: JsonSchema): string {
  const { description, minimum, maximum, default: fallback } = schema;
  const bounds =
    typeof minimum === "number" && typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER
      ? `${minimum} to ${maximum}`
      : "";
  return [
    typeof description === "string" ? sentence(description) : "",
    bounds && `From ${bounds}.`,
    fallback === undefined ? "" : `Without it: ${JSON.stringify(fallback)}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const HEADER: Record<Operation["access"], string | null> = {
  key: '-H "X-API-Key: $API_KEY"',
  admin: '-H "X-Admin-Secret: $ADMIN_SECRET"',
  producer: '-H "X-Producer-Token: $PRODUCER_TOKEN"',
  feed: '-H "X-Feed-Token: $FEED_TOKEN"',
  signature: '-H "x-signature: $SIGNATURE"',
  anyone: null,
};

/** An example call for the shell. */
function curlOf(operation: Operation, baseUrl: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(operation.params?.[name]?.example ?? name)),
  );
  const method = operation.method.toUpperCase();
  const parts = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${baseUrl}${path}"`,
    HEADER[operation.access],
    operation.body && '-H "Content-Type: application/json"',
    operation.body && `-d '${JSON.stringify(operation.body.example)}'`,
  ];
  return parts.filter(Boolean).join(" \\\n  ");
}

function asObject(value: unknown): JsonSchema {
  // The cast is safe: every object in the document has text keys.
  return typeof value === "object" && value !== null ? (value as JsonSchema) : {};
}

function asList(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}
