import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { DEFAULT_SERVICE_NAME } from "@/lib/runtime/env";
import { API_VERSION } from "@/lib/runtime/version";
import { ErrorBody } from "@/lib/wire/contracts/shared";
import { ERRORS, type ErrorCode } from "@/lib/wire/errors";
import { exampleOf, type JsonSchema } from "./example-of";
import { DEGRADED_HEALTH_EXAMPLE, FIELD_EXAMPLES } from "./examples";
import { type Access, errorsOf, type Operation } from "./operation";

const DESCRIPTION = `Trading signals per slot (a symbol and a timeframe), reports of what a trading client did with them, and figures for evaluating both.

Every path answers HEAD like GET without the body, OPTIONS with \`Allow\`, and any other method with 405. Unknown paths answer 404. Repeated and trailing slashes make no difference, and nothing is ever redirected. Every status of 400 and above carries the Error object, except 503 of /api/health and /api/health/ready. Unknown query parameters are ignored; a known one given twice is 422.`;

const TAGS: Record<Operation["tag"], string> = {
  Signals: "Current and past signals of each slot.",
  Executions: "Reports of a trading client's positions.",
  Account: "The subscription, the key and the trading client.",
  Quality: "Results and calibration of the signals.",
  Record: "Public and verifiable: results, forecasts, models and the ledger behind them.",
  Service: "Health of the service.",
  Administration: "Keys and operations, for the administrator.",
  Ingest: "Candles, models, signals and features of an operator's own pipeline.",
  Payments: "Events of the payment platform.",
};

const SECURITY: Record<Access, Record<string, string[]>[]> = {
  key: [{ ApiKey: [] }],
  admin: [{ AdminSecret: [] }],
  producer: [{ AdminSecret: [] }, { ProducerToken: [] }],
  feed: [{ FeedToken: [] }],
  signature: [{ Signature: [] }],
  anyone: [],
};

type Document = ReturnType<typeof createDocument>;

/** Name of the service and its support address. */
interface Service {
  name: string;
  supportAddress: string | null;
}

/** The OpenAPI 3.1 document, built from the schemas that validate requests and, outside production, answers. */
export function makeOpenApiDocument(
  operations: readonly Operation[],
  baseUrl: string,
  { name, supportAddress }: Service = { name: DEFAULT_SERVICE_NAME, supportAddress: null },
): Document {
  const document = createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: name,
        version: API_VERSION,
        description: DESCRIPTION,
        contact: { name, url: baseUrl, ...(supportAddress === null ? {} : { email: supportAddress }) },
        license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
      },
      servers: [{ url: baseUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths: pathsOf(operations),
      components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: eventSchemas(operations) },
    },
    {
      override: ({ jsonSchema, zodSchema }) => showOnTheWire(jsonSchema, zodSchema._zod.def.type),
      allowEmptySchema: { unknown: true },
    },
  );
  addExamples(document);
  return document;
}

const SECURITY_SCHEMES = {
  ApiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "The subscriber's key, a UUID" },
  AdminSecret: {
    type: "apiKey",
    in: "header",
    name: "X-Admin-Secret",
    description: "The administrator secret",
  },
  ProducerToken: {
    type: "apiKey",
    in: "header",
    name: "X-Producer-Token",
    description: "A producer token, valid only for sending data of its slots",
  },
  FeedToken: {
    type: "apiKey",
    in: "header",
    name: "X-Feed-Token",
    description: "A feed token, valid only for sending closed candles",
  },
  Signature: {
    type: "apiKey",
    in: "header",
    name: "x-signature",
    description: "Lowercase hexadecimal HMAC-SHA256 of the raw body",
  },
} as const;

const text = (description: string, example: string) => ({
  description,
  schema: { type: "string" as const, example },
});
const whole = (description: string, minimum: number) => ({
  description,
  schema: { type: "integer" as const, minimum },
});

const HEADERS = {
  "X-Request-Id": text(
    "Id of this request in the logs. A valid id that the client sent is returned unchanged",
    "ZkX0n2b7Qm1s",
  ),
  "X-RateLimit-Limit": whole("Requests allowed per sliding window of 60 seconds", 1),
  "X-RateLimit-Remaining": whole("Requests left in the window", 0),
  "X-RateLimit-Reset": whole(
    "Seconds until the number of requests left increases; after a 429, until the next one is allowed",
    1,
  ),
  "RateLimit-Policy": text("The limit as a structured field", '"default";q=300;w=60'),
  RateLimit: text("The same as a structured field", '"default";r=287;t=41'),
  "Retry-After": whole("Seconds to wait before the next attempt", 1),
  "Signal-Seq": whole("Number of the newest signal that the response covers. Missing for a try-out key", 0),
  "Next-Signal-At": text(
    "When the next candle in the key's scope closes in an open market. Missing if no slot is in scope",
    "2026-11-20T11:00:00Z",
  ),
  "Symbols-Without-Calendar": text(
    "Symbols for which no calendar was chosen yet; FX hours are assumed. Missing if there are none",
    "MYINDEX",
  ),
  "Next-Cursor": whole("Value of `after` for the next page. Missing on the last one", 1),
  "Paused-Slots": text(
    "Slots in scope that the operator has paused; they are left out of the items. Missing if there are none",
    "EURUSD/H1, XAUUSD/H4",
  ),
  "Signals-Entered-Later": whole(
    "Number of resolved signals in the window, by UTC day, that were entered after the next candle had closed. They are in these figures and in none of the public record. Missing if there are none",
    1,
  ),
  "X-Signals-Paused": text(
    "What the subscriber paused in the portal: `all` or slots, each with the start of the pause. The client should not open positions there. Missing if nothing is paused",
    "EURUSD/H1;since=2026-11-20T10:31:07Z",
  ),
  "X-Signals-Delayed": whole(
    "Delay of a try-out key: signals appear this many candles after their candle closed. Missing for other keys",
    3,
  ),
  "Signal-Receipt": text(
    "Signature of the ledger's key over the body: `node verify.mjs BASE --receipt FILE` checks a response saved with `curl -si`. Missing with `expand=validity` and for a try-out key",
    'path="/api/scan", seq=4711, at=1795644000, key="f7126d54", sig=:MEUCIQ…:',
  ),
  ETag: text("Strong entity tag for If-None-Match", '"fQ0c1VvD5c1n0e6U0nq0vQx1k2w"'),
};

const QUOTA_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
] as const;

function pathsOf(operations: readonly Operation[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  return paths;
}

function operationObject(operation: Operation): ZodOpenApiOperationObject {
  const { query, body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: SECURITY[operation.access],
    ...(query ? { requestParams: { query } } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: body.schema, example: body.example } },
          },
        }
      : {}),
    responses: responsesOf(operation),
  };
}

const REQUEST_HEADERS = {
  "If-None-Match": text(
    "The `ETag` of the client's copy. If it is still current, the answer is 304",
    '"fQ0c1VvD5c1n0e6U0nq0vQx1k2w"',
  ),
  "Last-Event-ID": text("The `id` of the last event that arrived; the stream continues after it", "4711"),
  "X-Terminal": text(
    'The terminal, if several use one key: a name of 8 to 64 letters, digits, `_` or `-`, then optionally `;server="…"` and `;account=` with demo, real or contest',
    "vps-frankfurt;account=real",
  ),
};

/** The path parameters and the optional request headers of an operation. */
function parametersOf({ params, conditional, events, access }: Operation) {
  const names = [
    ...(conditional ? (["If-None-Match"] as const) : []),
    ...(events ? (["Last-Event-ID"] as const) : []),
    ...(access === "key" ? (["X-Terminal"] as const) : []),
  ];
  const headers = names.map((name) => ({
    name,
    in: "header" as const,
    required: false,
    ...REQUEST_HEADERS[name],
  }));
  return [...(params ? pathParameters(params) : []), ...headers];
}

function pathParameters(params: NonNullable<Operation["params"]>) {
  return Object.entries(params).map(([name, { description, example, integer }]) => ({
    name,
    in: "path" as const,
    required: true,
    description,
    schema: { type: integer ? ("integer" as const) : ("string" as const) },
    example,
  }));
}

function responsesOf(operation: Operation): ZodOpenApiResponsesObject {
  const { ok } = operation;
  const own = [...(operation.conditional ? (["ETag"] as const) : []), ...(operation.headers ?? [])];
  const quota = operation.access === "key" ? QUOTA_HEADERS : [];
  const responses: ZodOpenApiResponsesObject = {
    [`${ok.status}`]: {
      description: ok.description,
      headers: headerRefs(["X-Request-Id", ...quota, ...own]),
      content: operation.events
        ? { "text/event-stream": { schema: eventsSchema(operation.events) } }
        : operation.plain
          ? { "text/plain": { schema: ok.schema, example: operation.plain } }
          : { "application/json": { schema: ok.schema } },
    },
  };
  if (operation.conditional)
    responses["304"] = {
      description: "Not modified since the response with this ETag",
      headers: headerRefs(["X-Request-Id", ...quota, ...own.filter((name) => name !== "Signal-Receipt")]),
    };
  if (operation.degraded)
    responses["503"] = {
      description: operation.degraded.description,
      headers: headerRefs(["X-Request-Id"]),
      content: { "application/json": { schema: operation.degraded.schema } },
    };
  for (const [status, codes] of byStatus(errorsOf(operation))) {
    const waits = status === 429 || codes.includes("key_unverifiable");
    // The cast is safe: ERRORS has only statuses from 400 to 599.
    responses[`${status}` as `4${string}`] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].detail}`).join("\n\n"),
      headers: headerRefs([
        "X-Request-Id",
        ...(waits ? (["Retry-After"] as const) : []),
        ...(status === 429 || status === 422 ? quota : []),
      ]),
      content: { "application/json": { schema: ErrorBody, example: errorExample(codes[0]) } },
    };
  }
  return responses;
}

/** The data schemas of all stream events, by id, for the components: OpenAPI 3.1 cannot attach them to a stream. */
function eventSchemas(operations: readonly Operation[]): Record<string, z.ZodType> {
  const schemas = operations.flatMap(({ events }) => Object.values(events ?? {}));
  return Object.fromEntries(schemas.map((schema) => [schema.meta()?.id ?? "", schema]));
}

/** The schema of a stream: text whose description names each event and the schema of its data. */
function eventsSchema(events: Record<string, z.ZodType>) {
  return z.string().meta({
    description: `Server-sent events, each with data of this schema: ${Object.entries(events)
      .map(([name, schema]) => `\`${name}\` ${schema.meta()?.id}`)
      .join(", ")}.`,
    example: 'id: 4711\nevent: gap\ndata: {"from":1,"to":4711}\n\n',
  });
}

function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort((a, b) => a[0] - b[0]);
}

function errorExample(code: ErrorCode | undefined) {
  if (!code) return undefined;
  const example = { detail: ERRORS[code].detail, code, request_id: "ZkX0n2b7Qm1s" };
  if (code !== "validation_failed") return example;
  return {
    ...example,
    detail: "limit: must be an integer",
    errors: [{ loc: ["query", "limit"], msg: "must be an integer", type: "invalid_format" }],
  };
}

function headerRefs(names: readonly (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` as const }]));
}

/**
 * Replaces a schema by that of the value's JSON form, where the two differ: dates, 64-bit integers, tuples, and schemas
 * with `wire` in their metadata.
 */
function showOnTheWire(jsonSchema: Record<string, unknown>, type: string): void {
  if (type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
  if (type === "bigint") Object.assign(jsonSchema, { type: "integer", format: "int64" });
  if (type === "tuple") showAsArray(jsonSchema);
  const { wire, wireRequired } = jsonSchema;
  if (wireRequired) {
    delete jsonSchema.wireRequired;
    jsonSchema.required = wireRequired;
  }
  if (typeof wire !== "object" || wire === null) return;
  const { default: fallback, description } = jsonSchema;
  for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
  Object.assign(
    jsonSchema,
    fallback === undefined ? {} : { default: fallback },
    description ? { description } : {},
    wire,
  );
}

/**
 * Tuples of the interface are numbers of one kind. As arrays of fixed length they need no `prefixItems`, which few
 * tools support.
 */
function showAsArray(jsonSchema: Record<string, unknown>): void {
  const members = Array.isArray(jsonSchema.prefixItems) ? jsonSchema.prefixItems : [];
  if (new Set(members.map((member) => JSON.stringify(member))).size !== 1)
    throw new Error("a tuple with members of several kinds");
  delete jsonSchema.prefixItems;
  Object.assign(jsonSchema, { items: members[0], minItems: members.length, maxItems: members.length });
}

/** Adds an example to every JSON answer that has none, composed of the examples of its fields. */
function addExamples(document: Document): void {
  const schemas = document.components?.schemas ?? {};
  const resolve = (ref: string): JsonSchema => {
    const found = schemas[ref.replace("#/components/schemas/", "")];
    if (!found) throw new Error(`nothing has the name ${ref}`);
    return { ...found };
  };
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of [path.get, path.post, path.delete]) {
      for (const [status, response] of Object.entries(operation?.responses ?? {})) {
        const content = "content" in response ? response.content?.["application/json"] : undefined;
        if (!content?.schema || content.example !== undefined) continue;
        const example = exampleOf({ ...content.schema }, { resolve, fields: FIELD_EXAMPLES });
        content.example =
          status === "503" && typeof example === "object" && example !== null && "stale_pred_count" in example
            ? { ...example, ...DEGRADED_HEALTH_EXAMPLE }
            : example;
      }
    }
  }
}
