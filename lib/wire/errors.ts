/**
 * Every error of the API by its code: its status and its default sentence. The codes are part of the specification: new
 * ones may be added, none is renamed.
 */
export const ERRORS = {
  bad_request: { status: 400, detail: "The request could not be understood." },
  invalid_payload: { status: 400, detail: "The body is not a usable JSON object." },
  key_missing: { status: 401, detail: "Send your API key in the X-API-Key header." },
  key_invalid: { status: 401, detail: "This API key is unknown. Check that you copied all of it." },
  key_revoked: { status: 401, detail: "This API key has been revoked. Contact the seller." },
  key_rotated: { status: 401, detail: "This API key was replaced by a newer one. Use the new key." },
  key_suspended: { status: 401, detail: "Access with this API key is suspended. Contact the seller." },
  key_expired: {
    status: 401,
    detail: "Access with this API key has expired. Renew it; the same key then works again.",
  },
  admin_secret_missing: {
    status: 401,
    detail: "Send the administrator secret in the X-Admin-Secret header.",
  },
  admin_secret_invalid: { status: 403, detail: "The administrator secret is wrong or none is configured." },
  feed_token_missing: { status: 401, detail: "Send the feed token in the X-Feed-Token header." },
  producer_token_invalid: { status: 401, detail: "This producer token is unknown or was revoked." },
  slot_not_in_token: { status: 403, detail: "This producer token may not send this slot." },
  feed_token_invalid: { status: 401, detail: "This feed token is unknown or was revoked." },
  signature_invalid: { status: 403, detail: "The signature of this delivery is invalid." },
  slot_not_in_plan: { status: 403, detail: "Your plan does not include this symbol and timeframe." },
  not_in_plan: { status: 403, detail: "Your plan does not include this feature." },
  not_found: { status: 404, detail: "There is nothing at this address." },
  record_off: { status: 404, detail: "The operator of this service has switched its public record off." },
  candles_off: {
    status: 404,
    detail:
      "The operator of this service does not show these candles: outcomes of this slot cannot be recomputed by others.",
  },
  method_not_allowed: { status: 405, detail: "This address does not support that method." },
  body_timeout: { status: 408, detail: "The body took too long to arrive." },
  conflict: { status: 409, detail: "This conflicts with existing data." },
  signal_conflict: {
    status: 409,
    detail: "A signal for this slot, time and model is stored with other content.",
  },
  owner_key_in_environment: {
    status: 409,
    detail: "The owner's key is part of the configuration. Change it there.",
  },
  body_too_large: { status: 413, detail: "The body is larger than this address accepts." },
  unsupported_encoding: { status: 415, detail: "Send the body without Content-Encoding." },
  validation_failed: { status: 422, detail: "The request is invalid." },
  rate_limited: { status: 429, detail: "Too many requests. Wait as long as Retry-After says." },
  too_many_open: {
    status: 429,
    detail:
      "Too many requests of this key are waiting or streaming. Close one, or send the request without wait.",
  },
  headers_too_large: { status: 431, detail: "The headers of the request are larger than 16 kB." },
  internal_error: { status: 500, detail: "Something went wrong on our side. It has been recorded." },
  key_unverifiable: { status: 503, detail: "Your key cannot be checked right now. Try again shortly." },
  figures_too_slow: {
    status: 503,
    detail: "These figures take too long. Request fewer days, or one symbol or timeframe.",
  },
  unavailable: { status: 503, detail: "The service is unavailable right now. Try again shortly." },
} as const satisfies Record<string, { status: number; detail: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One problem of a request: its place, a sentence and its type. */
export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

export interface AppErrorOptions {
  /** A sentence for the caller that replaces the default one. Never the text of an exception. */
  detail?: string;
  headers?: Record<string, string>;
  errors?: FieldError[];
}

/**
 * The error that handlers throw on purpose: it becomes an answer with its status and code. Any other error, except of
 * an unavailable database, is a defect and becomes a 500 without details.
 */
export class AppError extends Error {
  readonly status: number;
  readonly detail: string;
  readonly headers: Record<string, string>;
  readonly errors: FieldError[] | undefined;

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
  ) {
    super(code);
    this.name = "AppError";
    this.status = ERRORS[code].status;
    this.detail = options.detail ?? ERRORS[code].detail;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
  }
}

/** `Retry-After`, in seconds, of a 503 because the database is unavailable. */
export const DATABASE_RETRY_AFTER_SECONDS = 5;

/** A 503 because the database is unavailable. `key_unverifiable`: an API key could not be looked up. */
export function databaseUnavailableError(code: "unavailable" | "key_unverifiable" = "unavailable"): AppError {
  return new AppError(code, { headers: { "Retry-After": String(DATABASE_RETRY_AFTER_SECONDS) } });
}

/** A 422 that lists the invalid fields. Its sentence is about the first one. */
export function validationFailedError(errors: FieldError[]): AppError {
  const first = errors[0];
  const detail = first ? `${first.loc.slice(1).join(".") || first.loc[0]}: ${first.msg}` : undefined;
  return new AppError("validation_failed", { errors, ...(detail ? { detail } : {}) });
}

/** A 422 for a single field. `place` is `body`, `query`, `path` or `header`. */
export function invalidField(place: string, field: string, msg: string, type = "value_error"): AppError {
  return validationFailedError([{ loc: [place, field], msg, type }]);
}
