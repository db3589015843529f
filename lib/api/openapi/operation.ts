import type { z } from "zod";
import type { ErrorCode } from "@/lib/wire/errors";
import { READING_ORDER } from "./reading-order";

export type Method = "get" | "post" | "delete";

/**
 * Required credentials: a subscriber's key, the administrator secret, the secret or a producer's token (`producer`), a
 * feed's token, a payload signature, or none.
 */
export type Access = "key" | "admin" | "producer" | "feed" | "signature" | "anyone";

/** Export of `operation.ts` for each method: one operation, described by the schemas that its handler uses. */
export interface Declaration {
  /** Name in generated clients. */
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
  /** Required query parameters, with examples. */
  needs?: Record<string, string>;
  /** Path parameters, with examples. */
  params?: Record<string, { description: string; example: string | number; integer?: boolean }>;
  body?: { schema: z.ZodType; example: unknown };
  ok: { status: 200 | 201; schema: z.ZodType; description: string };
  /** Sends an entity tag and supports 304. */
  conditional?: boolean;
  /** Response headers of a successful answer, in addition to the common ones. */
  headers?: (
    | "Signal-Seq"
    | "Next-Signal-At"
    | "Paused-Slots"
    | "X-Signals-Paused"
    | "X-Signals-Delayed"
    | "Signal-Receipt"
    | "Symbols-Without-Calendar"
  )[];
  /** Server-sent events: names and data; `ok.schema` is the data of the main event. */
  events?: Record<string, z.ZodType>;
  /** An example, for plain text instead of JSON. */
  plain?: string;
  /** A body for status 503 instead of an error object. */
  degraded?: { schema: z.ZodType; description: string };
  /** Called by probes: no rate limit. */
  unlimited?: boolean;
  /** Errors other than those of its access, query and body. */
  errors?: ErrorCode[];
}

/** Path and method of an operation. */
interface Place {
  path: string;
  method: Method;
}

/** One operation of the interface. */
export interface Operation extends Declaration, Place {}

/** An endpoint with another product's protocol; the OpenAPI document leaves it out. */
export interface ForeignEndpoint {
  protocol: string;
  access: Access;
}

/** The modules `operation.ts` by path. */
type Declared = Readonly<Record<string, Readonly<Record<string, Declaration | ForeignEndpoint>>>>;

/** The operations in the order of READING_ORDER; unlisted ones come last. */
export function operationsOf(declared: Declared): readonly Operation[] {
  const place = ({ id }: Operation) =>
    READING_ORDER.includes(id) ? READING_ORDER.indexOf(id) : READING_ORDER.length;
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

/** Every error code that the operation can return. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...BY_ACCESS[operation.access], "internal_error", "unavailable"]);
  if (operation.query || operation.body) codes.add("validation_failed");
  if (operation.body) {
    for (const code of ["bad_request", "body_timeout", "body_too_large", "unsupported_encoding"] as const)
      codes.add(code);
  }
  // A signed body is refused as a whole, without field names.
  if (operation.access === "signature") codes.delete("validation_failed");
  // Failures are described in the degraded body.
  if (operation.degraded) codes.delete("unavailable");
  if (operation.unlimited) codes.delete("rate_limited");
  for (const code of operation.errors ?? []) codes.add(code);
  return [...codes];
}
