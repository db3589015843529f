import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { FOREIGN_OPERATIONS, OPERATIONS } from "@/app/operations.generated";
import { makeOpenApiDocument } from "@/lib/api/openapi/document";
import { errorsOf, type Operation } from "@/lib/api/openapi/operation";
import { normalizedPath } from "@/lib/server/api-app";
import { ErrorBody } from "@/lib/wire/contracts/shared";

export const OPENAPI_DOCUMENT = makeOpenApiDocument(OPERATIONS, "https://signals.example.test");

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/** File in TEST_DIRECTORY with one line `operation status` for each documented answer that the run has seen. */
export const SEEN_ANSWERS_FILE = "exchanges.ndjson";

/**
 * Throws unless the OpenAPI document allows this answer for this path and method: status, headers, error code and
 * body. Paths whose protocol is not the API's own (FOREIGN_OPERATIONS) are not checked, because the document omits them.
 */
export function checkAgainstDocument(method: string, path: string, answered: HttpAnswer): void {
  const template = pathTemplateOf(normalizedPath(path));
  const verb = method.toLowerCase() === "head" ? "get" : method.toLowerCase();
  const operation = OPERATIONS.find((known) => known.path === template && known.method === verb);
  const where = `${method} ${path.slice(0, 120)} -> ${answered.status}`;
  if (!operation) {
    if (FOREIGN_OPERATIONS.some((foreign) => foreign.path === normalizedPath(path))) return;
    checkConventions(where, method, template, answered);
    return;
  }
  if (answered.status === 500) throw new Error(`${where}: a defect, not an answer: ${answered.text}`);

  const response = documentedResponse(operation, answered.status);
  if (!response) throw new Error(`${where} is not in the document: ${answered.text.slice(0, 300)}`);
  const expanded = new URLSearchParams(path.split("?")[1]).get("expand") ?? "";
  for (const name of Object.keys(response.headers ?? {})) {
    // A 429 to unknown keys has no quota headers, because no subscription's limit applies.
    if (answered.status === 429 && /ratelimit/i.test(name)) continue;
    // Each is missing in some answers: when no slot is in scope, no slot is paused, or the key is not a try-out key.
    if (["Next-Signal-At", "Paused-Slots", "X-Signals-Paused", "X-Signals-Delayed"].includes(name)) continue;
    // Missing for a try-out key.
    if (["Signal-Seq", "Signal-Receipt"].includes(name) && answered.headers.has("X-Signals-Delayed"))
      continue;
    // Missing when every symbol has a calendar, on the last page, and without signals that were entered later.
    if (["Symbols-Without-Calendar", "Next-Cursor", "Signals-Entered-Later"].includes(name)) continue;
    // An answer with validity contains ages, which change every moment, and only a cached body is signed.
    if (name === "Signal-Receipt" && expanded.split(",").includes("validity")) continue;
    if (!answered.headers.has(name)) throw new Error(`${where} lacks the documented header ${name}`);
  }
  note(operation, answered.status);
  if (method === "HEAD" || !response.content) {
    if (answered.text !== "") throw new Error(`${where} has a body`);
    return;
  }
  // Streams, text and CSV have no schema to check against.
  if (operation.events && answered.status < 400) return;
  if (answered.status < 400 && !answered.headers.get("content-type")?.startsWith("application/json")) return;
  const parsed = validatorOf(operation, answered.status).safeParse(withinDoubles(answered));
  if (!parsed.success) throw new Error(`${where} contradicts the document: ${z.prettifyError(parsed.error)}`);
  if (answered.status >= 400 && !(operation.degraded && answered.status === 503)) {
    const { code } = ErrorBody.parse(answered.json);
    if (!errorsOf(operation).some((known) => known === code))
      throw new Error(`${where}: the code ${code} is not documented`);
  }
}

/**
 * Replaces integers beyond double precision (tickets reach 2^63 - 1) with small numbers, because the check uses
 * JSON.parse.
 */
function withinDoubles(answered: HttpAnswer): unknown {
  return /[:[,]\d{16,}[,}\]]/.test(answered.text)
    ? JSON.parse(answered.text.replaceAll(/([:[,])\d{16,}(?=[,}\]])/g, "$11"))
    : answered.json;
}

/** Checks an answer that no operation documents: 404 on an unknown path; 405 or OPTIONS, with Allow, on a known one. */
function checkConventions(
  where: string,
  method: string,
  template: string | null,
  answered: HttpAnswer,
): void {
  if (template === null) {
    if (answered.status !== 404) throw new Error(`${where}: the path is not in the document`);
  } else if (!answered.headers.has("allow")) {
    throw new Error(`${where}: the method is not in the document`);
  }
  if (answered.status >= 400 && method !== "HEAD") ErrorBody.parse(answered.json);
}

/** The path template of the OpenAPI document that matches a path, or null. */
export function pathTemplateOf(path: string): string | null {
  const exact = OPERATIONS.find((operation) => operation.path === path);
  if (exact) return exact.path;
  const match = OPERATIONS.find(({ path: template }) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`).test(path),
  );
  return match?.path ?? null;
}

// The part of OpenAPI's response type that the document uses.
interface DocumentedResponse {
  headers?: Record<string, unknown>;
  content?: { "application/json"?: { schema: unknown; example?: unknown } };
}

export function documentedResponses(operation: Operation): Record<string, DocumentedResponse> {
  const responses = OPENAPI_DOCUMENT.paths?.[operation.path]?.[operation.method]?.responses ?? {};
  return responses as Record<string, DocumentedResponse>;
}

function documentedResponse(operation: Operation, status: number): DocumentedResponse | undefined {
  return documentedResponses(operation)[String(status)];
}

const validators = new Map<string, z.ZodType>();

/** A validator compiled from the document's JSON Schema, not from the handler's schema. */
function validatorOf(operation: Operation, status: number): z.ZodType {
  const key = `${operation.id} ${status}`;
  const found = validators.get(key);
  if (found) return found;
  const validator = validatorOfSchema(
    documentedResponse(operation, status)?.content?.["application/json"]?.schema,
  );
  validators.set(key, validator);
  return validator;
}

export function validatorOfSchema(schema: unknown): z.ZodType {
  const text = JSON.stringify({ ...(schema as object), $defs: OPENAPI_DOCUMENT.components?.schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")));
}

const noted = new Set<string>();

function note(operation: Operation, status: number): void {
  const line = `${operation.id} ${status}`;
  if (noted.has(line) || !process.env.TEST_DIRECTORY) return;
  noted.add(line);
  appendFileSync(join(process.env.TEST_DIRECTORY, SEEN_ANSWERS_FILE), `${line}\n`);
}
