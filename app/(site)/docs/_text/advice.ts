import type { ErrorCode } from "@/lib/wire/errors";

/** What a client can do about each error. Keyed by `ErrorCode`, so that a new code without advice does not compile. */
export const ERROR_ADVICE: Record<ErrorCode, string> = {
  bad_request:
    "Check the request: a line, a header or the end of the body is not valid HTTP. A body that was cut off can be sent again.",
  invalid_payload:
    "Send one JSON object in UTF-8. The signature is valid, so check the code that builds the body.",
  key_missing: "Check that your client sends the header with every request: it is missing or empty.",
  key_invalid: "Copy the whole key again from where you saved it. If it is lost, rotate it in the portal.",
  key_revoked: "Access was ended by a refund, a cancellation or the operator. Contact the seller.",
  key_rotated: "If you did not rotate the key yourself, someone else may have it: rotate it now.",
  key_suspended:
    "The operator suspended the key. Contact the seller; once reinstated the same key works again. Closed positions are accepted for 72 hours.",
  key_expired:
    "Renew. The key works again as soon as the payment arrives; until then only closed positions are accepted, for 72 hours.",
  admin_secret_missing: "Only administrators have it. Subscribers use the paths under /api with X-API-Key.",
  admin_secret_invalid:
    "Compare it with the secret that the service was started with. After ten failures your address is blocked for a minute.",
  producer_token_invalid:
    "Create a token under Models in the administrator's area and send it in the header X-Producer-Token.",
  slot_not_in_token: "Send only the slots of this token, or create a token that names this slot.",
  feed_token_missing: "The administrator creates the token under Feeds.",
  feed_token_invalid:
    "Compare the token in the inputs of CandlePusher, or ask the administrator for a new one.",
  signature_invalid:
    "Sign the raw bytes of the body with the secret in force, HMAC-SHA256 in lower-case hexadecimal.",
  slot_not_in_plan: "Request a slot that GET /api/scan lists, or change the plan.",
  not_in_plan: "Request it without that feature, or change the plan. The response names the feature.",
  not_found: "Check the path. The reference lists all of them.",
  record_off: "The operator does not publish the record. Your own results are in the portal.",
  candles_off:
    "Check what needs no candles: signature, tree and commitments. Candles from your own source may be close enough.",
  method_not_allowed: "The header Allow names the methods that this path answers.",
  body_timeout: "Send the body without pausing. The cause is usually a broken connection: try again.",
  conflict: "Read what is stored before writing again.",
  signal_conflict: "Signals are never changed. Send the corrected one under a new model version.",
  owner_key_in_environment: "Change OWNER_API_KEY in the service's configuration and restart it.",
  body_too_large: "Send less at once. Reports are one object each.",
  unsupported_encoding: "Turn off the compression of requests in your HTTP client.",
  validation_failed:
    "errors names every field with what is wrong. Correct it; repeating the same request will not help.",
  rate_limited: "Poll less often, or use one client for several charts.",
  too_many_open:
    "One stream serves many charts. A long poll or stream that you no longer read counts until you close it.",
  headers_too_large: "Look for a cookie or a header that grows with every request.",
  internal_error:
    "This is our fault, and we recorded it. Try again after a few seconds. If it fails again, send us the request id.",
  key_unverifiable:
    "The key could not be checked, so it is neither accepted nor refused. Wait for the seconds in Retry-After and try again.",
  figures_too_slow: "If the request is already small, wait for the seconds in Retry-After and try again.",
  unavailable: "Wait for the seconds in Retry-After and try again. The status page says more.",
};
