import type { z } from "zod";
import type { ErrorCode } from "@/lib/wire/errors";
import { READING_ORDER } from "./reading-order";

export type Method = "get" | "post" | "delete";

/**
 * Who may call: a subscriber's key, the administrator, the administrator or a producer's token, a feed's token, the
 * holder of the signing secret, or anyone.
 */
export type Access = "key" | "admin" | "producer" | "feed" | "signature" | "anyone";

/**
 * What `operation.ts` beside a handler exports under the name of each method: one operation, described by the schemas
 * that the handler uses.
 */
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
  /** Query parameters that a request cannot do without, as an example. */
  needs?: Record<string, string>;
  /** Path parameters with an example. */
  params?: Record<string, { description: string; example: string | number; integer?: boolean }>;
  body?: { schema: z.ZodType; example: unknown };
  ok: { status: 200 | 201; schema: z.ZodType; description: string };
  /** Carries an entity tag and answers 304. */
  conditional?: boolean;
  /** Headers of its own on an answer of success. */
  headers?: (
    | "Signal-Seq"
    | "Next-Signal-At"
    | "Paused-Slots"
    | "X-Signals-Paused"
    | "X-Signals-Delayed"
    | "Signal-Receipt"
    | "Symbols-Without-Calendar"
  )[];
  /** Answers with server-sent events of these names and data; `ok.schema` is the data of the foremost. */
  events?: Record<string, z.ZodType>;
  /** Answers with plain text such as this, instead of JSON. */
  plain?: string;
  /** A body of its own with status 503, instead of an error. */
  degraded?: { schema: z.ZodType; description: string };
  /** Asked by probes: no limit applies. */
  unlimited?: boolean;
  /** Errors of its own, beside those that its access, query and body bring along. */
  errors?: ErrorCode[];
}

/** The place of an operation in the tree. */
interface Place {
  path: string;
  method: Method;
}

/** One operation of the interface. */
export interface Operation extends Declaration, Place {}

/** Follows the protocol of another product, which describes it: the OpenAPI document leaves it out. */
export interface Foreign {
  protocol: string;
  access: Access;
}

/** The modules `operation.ts` by their paths. */
type Declared = Readonly<Record<string, Readonly<Record<string, Declaration | Foreign>>>>;

/** The operations of the tree, in the order of the document; those that it does not list come last. */
export function operationsOf(declared: Declared): readonly Operation[] {
  const place = ({ id }: Operation) =>
    READING_ORDER.includes(id) ? READING_ORDER.indexOf(id) : READING_ORDER.length;
  return placed(declared)
    .flatMap((found) => ("id" in found ? [found] : []))
    .sort((a, b) => place(a) - place(b));
}

/** What of the tree follows the protocol of another product. */
export function foreignOf(declared: Declared): readonly (Foreign & Place)[] {
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
  throw new Error(`an operation.ts exports ${name}, which is no method`);
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

/** Every error that the operation can answer with. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...BY_ACCESS[operation.access], "internal_error", "unavailable"]);
  if (operation.query || operation.body) codes.add("validation_failed");
  if (operation.body) {
    for (const code of ["bad_request", "body_timeout", "body_too_large", "unsupported_encoding"] as const)
      codes.add(code);
  }
  // Signed bytes are refused as a whole: there is no field to name.
  if (operation.access === "signature") codes.delete("validation_failed");
  // What is broken is told by a body of its own.
  if (operation.degraded) codes.delete("unavailable");
  if (operation.unlimited) codes.delete("rate_limited");
  for (const code of operation.errors ?? []) codes.add(code);
  return [...codes];
}
