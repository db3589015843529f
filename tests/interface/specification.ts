import { RESOURCES } from "./resources";

/** The test that proves a row: file and exact title. */
export type TestReference = readonly [file: string, title: string];

export interface SpecificationRow {
  row: string;
  proof: TestReference;
}

const security = (title: string): TestReference => ["tests/api/security.test.ts", title];
const reads = (title: string): TestReference => ["tests/api/reads.test.ts", title];
const publicRecord = (title: string): TestReference => ["tests/api/public-record.test.ts", title];
const objects = (title: string): TestReference => ["tests/interface/resources.test.ts", title];
const rotation = (title: string): TestReference => ["tests/api/rotation.test.ts", title];
const probes = (title: string): TestReference => ["tests/api/probes.test.ts", title];
const openapi = (title: string): TestReference => ["tests/api/openapi.test.ts", title];
const outcomes = (title: string): TestReference => ["tests/lib/signals/resolve-outcomes.test.ts", title];
const server = (title: string): TestReference => ["tests/server/concurrent-requests.test.ts", title];
const properties = (title: string): TestReference => ["tests/api/properties.test.ts", title];
const payment = (title: string): TestReference => ["tests/api/payment-webhook.test.ts", title];
const webhook = (title: string): TestReference => ["tests/api/webhook-cases.test.ts", title];
const reports = (title: string): TestReference => ["tests/api/executions.test.ts", title];

/** Every row of the API specification, and some rows beyond it, by section, each with a test that proves it. */
export const SPECIFICATION_SECTIONS: readonly { title: string; rows: readonly SpecificationRow[] }[] = [
  {
    title: "Resources and their fields",
    rows: RESOURCES.flatMap(({ name, fields }) =>
      Object.entries(fields).map(([field, type]) => ({
        row: `${name}: \`${field}\` (${type.replace("?", ", or null")})`,
        proof: objects("%s has exactly its fields, in order, with their types"),
      })),
    ),
  },
  {
    title: "States and transitions",
    rows: [
      {
        row: "key: none to active by POST /admin/keys, with `_ea_config`",
        proof: objects("POST /admin/keys answers 201 with the key, its plan and the EA's configuration"),
      },
      {
        row: "key: none to active by a paid invoice",
        proof: payment(
          "payment.invoice_paid without an active key of the buyer creates a key and queues its mail",
        ),
      },
      {
        row: "key: a paid invoice with an active key creates none",
        proof: payment(
          "payment.invoice_paid with an active key of the buyer creates nothing and answers already_provisioned",
        ),
      },
      {
        row: "key: regeneration ends the previous and makes a new one",
        proof: rotation("a rotation returns a new key with the same rights and ends the old one at once"),
      },
      {
        row: "key: regeneration mails the new key in the background",
        proof: rotation("a rotation queues one mail with the encrypted new key, and none without an address"),
      },
      {
        row: "key: active to inactive by DELETE /admin/keys/{key_id}",
        proof: security(
          "a key is revoked once, a repetition answers already_inactive, an unknown id is 404, a malformed one 422",
        ),
      },
      {
        row: "key: `expires_at` reached",
        proof: security("answers 401 with the matching code to a key that was %s"),
      },
      {
        row: "key: closings within 72 hours after expiry",
        proof: rotation(
          "71 hours after expiry, a key can close a known ticket, but cannot report otherwise, scan or rotate",
        ),
      },
      {
        row: "EA: `online` with the time of the call itself",
        proof: reads("/api/ea-status counts the slots in scope, and the current call as activity"),
      },
      {
        row: "health: 200 when ok, 503 when degraded or down",
        proof: objects("/api/health is 200 without reasons while ok, otherwise 503 with reasons"),
      },
    ],
  },
  {
    title: "Endpoints",
    rows: [
      {
        row: "GET /api/scan: the newest signal of each slot; basic sees its slots only",
        proof: objects("the scan of basic leaves out USDJPY and XAUUSD on M15, and reports the filter"),
      },
      {
        row: "GET /api/scan: `min_confidence`",
        proof: objects("the scan filters by confidence after choosing the newest signal of each slot"),
      },
      {
        row: "GET /api/scan: entity tag",
        proof: objects("the scan answers 304 until a signal arrives, and then the new one at once"),
      },
      {
        row: "GET /api/scan: `wait` (ours, beyond the specification)",
        proof: ["tests/api/long-poll.test.ts", "answers as soon as a signal in scope is committed"],
      },
      {
        row: "GET /api/stream (ours, beyond the specification)",
        proof: [
          "tests/api/stream.test.ts",
          "sends each signal in scope once, in commit order, with its number and pred_id",
        ],
      },
      {
        row: "GET /api/signals/{symbol}/{tf}: history, newest first",
        proof: objects(
          "the history of a slot is newest first, also for a slot in lower case, up to the limit, and [] without data",
        ),
      },
      {
        row: "GET /api/signals/{symbol}/{tf}: scope and malformed slots",
        proof: objects("the history of a slot is 403 outside the plan and 422 for a malformed slot"),
      },
      {
        row: "GET /api/history/predictions",
        proof: reads(
          "/api/history/predictions counts the signals of the symbol and days asked, with their regimes",
        ),
      },
      {
        row: "POST /api/executions: first report 201 `created`, repeated `updated`",
        proof: reports("answers created to the first report of a ticket and updated to later ones"),
      },
      {
        row: "POST /api/executions: idempotent by ticket",
        proof: server(
          "two servers store one row and answer one `created` for 200 identical concurrent reports",
        ),
      },
      {
        row: "POST /api/executions: any order of open and close",
        proof: properties("reports of one position end in the same row in any order and with repetitions"),
      },
      { row: "GET /api/account/me", proof: objects("%s has exactly its fields, in order, with their types") },
      {
        row: "GET /api/account/signals",
        proof: reads(
          "/api/account/signals lists BUY and SELL signals of the last seven days in scope, newest first",
        ),
      },
      {
        row: "GET /api/account/executions: summary over the whole window",
        proof: properties(
          "totals of executions are exact for random amounts of cents, and independent of the limit",
        ),
      },
      {
        row: "POST /api/account/regenerate-key",
        proof: rotation("a rotation returns a new key with the same rights and ends the old one at once"),
      },
      {
        row: "GET /api/ea-status",
        proof: reads("/api/ea-status counts the slots in scope, and the current call as activity"),
      },
      {
        row: "GET /api/ea-status?explain=true",
        proof: objects(
          "the diagnostics list refused reports, a shifted clock and slots outside the plan, each with a remedy",
        ),
      },
      {
        row: "GET /api/health",
        proof: objects("/api/health is 200 without reasons while ok, otherwise 503 with reasons"),
      },
      {
        row: "GET /api/health/live",
        proof: probes("300 requests to /api/health/live are all answered with 200, and so is HEAD"),
      },
      {
        row: "GET /api/health/ready",
        proof: probes("/api/health/ready is 503 while keys cannot be looked up, and 200 afterwards"),
      },
      {
        row: "GET /api/status",
        proof: reads("/api/status lists every component, the slots and the key's remaining requests"),
      },
      {
        row: "GET /api/performance",
        proof: outcomes("an outcome is visible in the track record and calibration of the next request"),
      },
      {
        row: "GET /api/calibration",
        proof: outcomes("an outcome is visible in the track record and calibration of the next request"),
      },
      {
        row: "GET /api/models",
        proof: reads("/api/models lists the champions, and answers 304 until one changes"),
      },
      {
        row: "GET /api/public/stats",
        proof: reads("/api/public/stats answers anyone, from any origin, with an ETag"),
      },
      {
        row: "GET /api/public/record",
        proof: publicRecord(
          "the public record equals one computed from the candles by separate code, with complete horizons only",
        ),
      },
      {
        row: "GET /api/public/calibration",
        proof: publicRecord(
          "the calibration has parts that add up, intervals for every bin with forecasts, and both baselines beside the model",
        ),
      },
      {
        row: "GET /api/public/models",
        proof: publicRecord("the list of public models has each model's promotion entry and results"),
      },
      {
        row: "GET /api/public/signals",
        proof: publicRecord(
          "the list of public signals is paged by a cursor, in ledger order or newest first",
        ),
      },
      {
        row: "GET /api/public/candles",
        proof: publicRecord(
          "candles of a feed with a restrictive licence are 404 candles_off, unless the operator shows them",
        ),
      },
      {
        row: "GET /api/public/ledger/checkpoint, /api/public/ledger/proof, /api/public/ledger/consistency",
        proof: publicRecord(
          "the paths of record, calibration, models, signals and ledger answer 404 record_off when the record is off",
        ),
      },
      {
        row: "GET /api/public/ledger/entries",
        proof: publicRecord("a range beyond the ledger's end returns the part that exists"),
      },
      {
        row: "POST /admin/keys",
        proof: objects("POST /admin/keys answers 201 with the key, its plan and the EA's configuration"),
      },
      {
        row: "POST /admin/keys: validation",
        proof: objects(
          "POST /admin/keys refuses an unknown plan, an invalid address, an end in the past and a blank name, naming the field",
        ),
      },
      {
        row: "GET /admin/keys: active and inactive, masked",
        proof: objects("GET /admin/keys lists active and inactive keys, newest first, without a whole key"),
      },
      {
        row: "DELETE /admin/keys/{key_id}",
        proof: security(
          "a key is revoked once, a repetition answers already_inactive, an unknown id is 404, a malformed one 422",
        ),
      },
      {
        row: "GET /admin/monitoring-data",
        proof: reads("/admin/monitoring-data counts clients and signals and lists the models"),
      },
      {
        row: "POST /api/executions/not-traded",
        proof: [
          "tests/api/terminals.test.ts",
          "the reason why a signal was not traded is stored once per signal and terminal, the last one sent",
        ],
      },
      {
        row: "POST /api/feed/bars",
        proof: [
          "tests/api/feed-bars.test.ts",
          "the bar feed accepts a valid feed token, not a missing or wrong one, and /admin/ingest/candles refuses that token",
        ],
      },
      {
        row: "POST /admin/ingest/*",
        proof: objects("refuses changed content for a known signal with 409 and stores none of the call"),
      },
      {
        row: "POST /webhooks/payment",
        proof: payment(
          "payment.invoice_paid without an active key of the buyer creates a key and queues its mail",
        ),
      },
      {
        row: "POST /webhooks/payments/{adapter} (ours, beyond the specification)",
        proof: [
          "tests/api/platform-webhooks.test.ts",
          "a first payment creates a key for the product's period and grace",
        ],
      },
      { row: "GET /openapi.json", proof: openapi("serves the document to any origin, with an ETag") },
      {
        row: "every endpoint, method and status is in the description",
        proof: openapi("the route table has exactly the methods of the declared operations"),
      },
    ],
  },
  {
    title: "Authentication",
    rows: [
      {
        row: "1. subscriber endpoints need X-API-Key",
        proof: security("answers 401 key_missing without a key"),
      },
      { row: "2. 401 means an invalid key", proof: security("answers 401 key_invalid to %s") },
      {
        row: "3. administration needs X-Admin-Secret",
        proof: security(
          "answers 401 without the admin secret or with a subscriber's key, and 403 with a wrong secret",
        ),
      },
      {
        row: "4. health and public statistics need nothing",
        proof: security("an open path answers anyone, from any origin, up to 240 times a minute per address"),
      },
      { row: "5. webhook: a wrong signature is 403", proof: webhook("a missing signature is refused") },
      {
        row: "6. plans and the scope of basic",
        proof: objects("the scan of basic leaves out USDJPY and XAUUSD on M15, and reports the filter"),
      },
      {
        row: "7. a key is shown in full only when made",
        proof: objects("GET /admin/keys lists active and inactive keys, newest first, without a whole key"),
      },
    ],
  },
  {
    title: "Events",
    rows: [
      {
        row: "payment.invoice_paid, no active key",
        proof: payment(
          "payment.invoice_paid without an active key of the buyer creates a key and queues its mail",
        ),
      },
      {
        row: "payment.invoice_paid, active key",
        proof: payment(
          "payment.invoice_paid with an active key of the buyer creates nothing and answers already_provisioned",
        ),
      },
      { row: "any other event", proof: payment("an unknown event is ignored with 200") },
      {
        row: "rule 2: products",
        proof: payment("a product added to the map gives its plan and days to the next payment"),
      },
      {
        row: "rule 5: no address in clear",
        proof: payment("a delivery is stored once with its encrypted payload and only a hash of the address"),
      },
      { row: "rule 6: a replaced secret", proof: webhook("a signature of a replaced secret is refused") },
    ],
  },
  {
    title: "Errors",
    rows: [
      { row: "401 invalid subscriber key", proof: security("answers 401 key_invalid to %s") },
      { row: "403 webhook signature", proof: webhook("a missing signature is refused") },
      {
        row: "503 with the Health object",
        proof: objects("/api/health is 200 without reasons while ok, otherwise 503 with reasons"),
      },
      {
        row: "422 names the field",
        proof: security(
          "a numeric parameter in another spelling or out of range is refused with 422, naming the field",
        ),
      },
      { row: "404 in the one shape", proof: security("the unknown path %s is 404 in the error format") },
      {
        row: "405 before authentication",
        proof: security("a wrong method is 405 without a key, and OPTIONS is 204"),
      },
      {
        row: "no request makes a 5xx",
        proof: properties("%s answers random JSON with a status below 500 in a documented shape"),
      },
    ],
  },
  {
    title: "Limits",
    rows: [
      {
        row: "/api/account/signals `days` 1..90, `limit` 1..500",
        proof: reads("/api/account/signals refuses invalid days, limits and flags with 422"),
      },
      {
        row: "/api/account/executions `days` 1..365, `limit` 1..1000",
        proof: objects(
          "/api/account/executions accepts days up to 365 and limits up to 1000, and refuses 0 and more",
        ),
      },
      {
        row: "/api/signals/{symbol}/{tf} `limit` 200, at most 1000",
        proof: objects("the history of a slot accepts a limit of 1000, and refuses 0 and 1001"),
      },
      {
        row: "/api/history/predictions, /api/performance: ranges",
        proof: security(
          "a numeric parameter in another spelling or out of range is refused with 422, naming the field",
        ),
      },
      {
        row: "request rate per key",
        proof: security(
          "answers 429 with quota headers once the limit is used up, but not to another subscription",
        ),
      },
      {
        row: "request rate over several instances",
        proof: server("two servers share one rate limit, and answer the rest with Retry-After"),
      },
      {
        row: "request rate while the store is down",
        proof: server(
          "two servers answer every poll with 200 and without delay while Redis fails and returns",
        ),
      },
      {
        row: "scope of basic",
        proof: objects("the scan of basic leaves out USDJPY and XAUUSD on M15, and reports the filter"),
      },
    ],
  },
  {
    title: "Versioning",
    rows: [
      {
        row: "`api_version` is a semantic version",
        proof: objects("/api/health is 200 without reasons while ok, otherwise 503 with reasons"),
      },
      {
        row: "a machine-readable description at /openapi.json",
        proof: openapi("the OpenAPI document passes the Redocly linter"),
      },
    ],
  },
];
