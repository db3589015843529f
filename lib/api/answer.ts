import type { z } from "zod";
import { env } from "@/lib/runtime/env";
import type { AppError } from "@/lib/wire/errors";
import { writeJson } from "@/lib/wire/json";

/** The result of an API handler, to which `route` adds the common headers. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** null: no body. */
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** An answer whose body is complete, neither missing nor streamed. */
export interface WholeAnswer extends Answer {
  body: string | Uint8Array<ArrayBuffer>;
}

export interface AnswerOptions {
  status?: number;
  headers?: Record<string, string>;
}

/** Answers with `value` as JSON in the shape of `schema`, with status 200 unless `options` says otherwise. */
export function respond<S extends z.ZodType>(
  schema: S,
  value: z.output<S>,
  options: AnswerOptions = {},
): Answer {
  return jsonAnswer(serialiseBody(schema, value), options);
}

/**
 * Serialises a JSON body in the shape of `schema`.
 *
 * Outside production the value is checked against the schema, which rejects fields that it does not name. Production
 * relies on the types and skips the check.
 */
export function serialiseBody<S extends z.ZodType>(schema: S, value: z.output<S>): string {
  if (!env().production) schema.parse(value);
  return writeJson(value);
}

/** Answers with JSON that is already serialised, complete or as a stream. */
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

/** Answers with the error object, which has the same fields for every error of the API. */
export function errorAnswer(error: AppError, requestId: string): WholeAnswer {
  const body = {
    detail: error.detail,
    code: error.code,
    request_id: requestId,
    ...(error.errors ? { errors: error.errors } : {}),
  };
  return jsonAnswer(writeJson(body), { status: error.status, headers: error.headers });
}

/** Security headers of every answer: no content sniffing, and HSTS if BASE_URL is https. */
export function answerSecurityHeaders(): Record<string, string> {
  return env().baseUrl.startsWith("https:") ? OVER_TLS : PLAIN;
}

const PLAIN = { "X-Content-Type-Options": "nosniff" };
const OVER_TLS = { ...PLAIN, "Strict-Transport-Security": "max-age=63072000; includeSubDomains" };
