import type { z } from "zod";
import type { ErrorCode } from "@/lib/wire/errors";
import { OPERATION_ORDER } from "./operation-order";

export type Method = "get" | "post" | "delete";

/**
 * Required credentials: a subscriber's key (`key`), the administrator secret (`admin`), that secret or a producer token
 * (`producer`), a feed token (`feed`), a signature of the body (`signature`), or none (`anyone`).
 */
export type Access = "key" | "admin" | "producer" | "feed" | "signature" | "anyone";

/**
 * An export of an `operation.ts`, named by its method: one operation, described by the schemas that its handler uses.
 */
export interface OperationDeclaration {
  /** The operation's `operationId`: its function name in generated clients. */
  id: string;
  tag:
    | "Signals"
    | "Executions"
    | "Account"
    | "Service"
    | "Quality"
    | "Record"
    | "Administration"
    | "Ingest"
    | "Payments";
  summary: string;
  description: string;
  access: Access;
  query?: z.ZodObject;
  /** Required query parameters by name, each with an example value. */
  needs?: Record<string, string>;
  /** Path parameters by name, each with an example value. */
  params?: Record<string, { description: string; example: string | number; integer?: boolean }>;
  body?: { schema: z.ZodType; example: unknown };
  ok: { status: 200 | 201; schema: z.ZodType; description: string };
  /** Whether the answer has an entity tag and may be 304. */
  conditional?: boolean;
  /** Response headers of a successful answer, in addition to the common ones. */
  headers?: (
    | "Signal-Seq"
    | "Next-Signal-At"
    | "Paused-Slots"
    | "Signals-Entered-Later"
    | "X-Signals-Paused"
    | "X-Signals-Delayed"
    | "Signal-Receipt"
    | "Symbols-Without-Calendar"
    | "Next-Cursor"
  )[];
  /** The data of each server-sent event by its name; `ok.schema` is the data of the main event. */
  events?: Record<string, z.ZodType>;
  /** An example of the answer, if it is plain text and not JSON. */
  plain?: string;
  /** The body of status 503, if it is not the error object. */
  degraded?: { schema: z.ZodType; description: string };
  /** Whether no rate limit applies, because probes call the operation. */
  unlimited?: boolean;
  /** Errors in addition to those that follow from `access`, `query` and `body`. */
  errors?: ErrorCode[];
}

/** Path and method of an operation. */
interface Place {
  path: string;
  method: Method;
}

/** One operation of the API. */
export interface Operation extends OperationDeclaration, Place {}

/** An endpoint with another product's protocol; the OpenAPI document leaves it out. */
export interface ForeignEndpoint {
  protocol: string;
  access: Access;
}

/** The modules `operation.ts` by path: the exports of each by method. */
type Declared = Readonly<Record<string, Readonly<Record<string, OperationDeclaration | ForeignEndpoint>>>>;

/** All operations, in the order of OPERATION_ORDER. Operations that it does not list come last. */
export function operationsOf(declared: Declared): readonly Operation[] {
  const place = ({ id }: Operation) =>
    OPERATION_ORDER.includes(id) ? OPERATION_ORDER.indexOf(id) : OPERATION_ORDER.length;
  return placed(declared)
    .flatMap((found) => ("id" in found ? [found] : []))
    .sort((a, b) => place(a) - place(b));
}

/** The endpoints that follow another product's protocol. */
export function foreignEndpointsOf(declared: Declared): readonly (ForeignEndpoint & Place)[] {
  return placed(declared).flatMap((found) => ("protocol" in found ? [found] : []));
}

function placed(declared: Declared) {
  return Object.entries(declared).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) => ({ ...found, path, method: asMethod(method) })),
  );
}

function asMethod(name: string): Method {
  const method = name.toLowerCase();
  if (method === "get" || method === "post" || method === "delete") return method;
  throw new Error(`an operation.ts exports ${name}, which is not a method`);
}

const BY_ACCESS: Record<Access, ErrorCode[]> = {
  key: [
    "key_missing",
    "key_invalid",
    "key_revoked",
    "key_rotated",
    "key_suspended",
    "key_expired",
    "key_unverifiable",
    "rate_limited",
  ],
  admin: ["admin_secret_missing", "admin_secret_invalid", "rate_limited"],
  producer: [
    "admin_secret_missing",
    "admin_secret_invalid",
    "producer_token_invalid",
    "slot_not_in_token",
    "rate_limited",
  ],
  feed: ["feed_token_missing", "feed_token_invalid", "rate_limited"],
  signature: ["signature_invalid"],
  anyone: ["rate_limited"],
};

/** The error codes that the OpenAPI document and the reference list for the operation. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...BY_ACCESS[operation.access], "internal_error", "unavailable"]);
  if (operation.query || operation.body) codes.add("validation_failed");
  if (operation.body) {
    for (const code of ["bad_request", "body_timeout", "body_too_large", "unsupported_encoding"] as const)
      codes.add(code);
  }
  // A signed body is refused as a whole, without field names.
  if (operation.access === "signature") codes.delete("validation_failed");
  // With a degraded body, 503 is described by that body.
  if (operation.degraded) codes.delete("unavailable");
  if (operation.unlimited) codes.delete("rate_limited");
  for (const code of operation.errors ?? []) codes.add(code);
  return [...codes];
}
