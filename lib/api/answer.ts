import type { z } from "zod";
import { env } from "@/lib/runtime/env";
import type { AppError } from "@/lib/wire/errors";
import { writeJson } from "@/lib/wire/json";

/** A handler's result, before `route` adds the common headers. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** null: no body. */
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** An answer with a complete body. */
export interface WholeAnswer extends Answer {
  body: string | Uint8Array<ArrayBuffer>;
}

export interface AnswerOptions {
  status?: number;
  headers?: Record<string, string>;
}

/** Answers `value` as JSON in the shape of `schema`. */
export function respond<S extends z.ZodType>(
  schema: S,
  value: z.output<S>,
  options: AnswerOptions = {},
): Answer {
  return jsonAnswer(writeBody(schema, value), options);
}

/**
 * Serialises a body in the shape of `schema`.
 *
 * Outside production the value is checked against the schema, which is strict, so that a field which the contract does
 * not name is noticed. Production relies on the types and saves the check.
 */
export function writeBody<S extends z.ZodType>(schema: S, value: z.output<S>): string {
  if (!env().production) schema.parse(value);
  return writeJson(value);
}

/** Answers serialised JSON, complete or streamed. */
export function jsonAnswer<B extends NonNullable<Answer["body"]>>(
  body: B,
  options: AnswerOptions = {},
): Answer & { body: B } {
  return {
    status: options.status ?? 200,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      ...options.headers,
    },
    body,
  };
}

/** The error object, the same for every error of the interface. */
export function errorAnswer(error: AppError, requestId: string): WholeAnswer {
  const body = {
    detail: error.detail,
    code: error.code,
    request_id: requestId,
    ...(error.errors ? { errors: error.errors } : {}),
  };
  return jsonAnswer(writeJson(body), { status: error.status, headers: error.headers });
}

/** Security headers of every answer: no content sniffing, and HSTS if the site uses TLS. */
export function transportHeaders(): Record<string, string> {
  return env().baseUrl.startsWith("https:") ? OVER_TLS : PLAIN;
}

const PLAIN = { "X-Content-Type-Options": "nosniff" };
const OVER_TLS = { ...PLAIN, "Strict-Transport-Security": "max-age=63072000; includeSubDomains" };
