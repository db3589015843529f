import { z } from "zod";
import { AccountMe, KeyRotated } from "@/lib/wire/contracts/account";
import { CreateKeyBody, KeyCreated, KeyList, KeyRevoked, ListKeysQuery } from "@/lib/wire/contracts/admin";
import { EaStatus, EaStatusQuery } from "@/lib/wire/contracts/ea-status";
import {
  AccountExecutions,
  AccountExecutionsQuery,
  ExecutionRecorded,
} from "@/lib/wire/contracts/executions";
import { Health, Live, NotReady, Ready } from "@/lib/wire/contracts/health";
import {
  IngestCandlesBody,
  Ingested,
  IngestFeaturesBody,
  IngestModelsBody,
  IngestSignalsBody,
} from "@/lib/wire/contracts/ingest";
import { ModelList } from "@/lib/wire/contracts/models";
import { MonitoringData } from "@/lib/wire/contracts/monitoring";
import { PaymentAnswer, PaymentEvent } from "@/lib/wire/contracts/payments";
import { PublicStats } from "@/lib/wire/contracts/public-stats";
import {
  CalibrationQuery,
  CalibrationReport,
  Performance,
  PerformanceQuery,
} from "@/lib/wire/contracts/quality";
import {
  AccountSignals,
  AccountSignalsQuery,
  Predictions,
  PredictionsQuery,
  Scan,
  ScanQuery,
  SlotHistory,
  SlotHistoryQuery,
} from "@/lib/wire/contracts/signals";
import { Status } from "@/lib/wire/contracts/status";
import { StreamEvents, StreamQuery } from "@/lib/wire/contracts/stream";
import { executionReportSchema } from "@/lib/wire/execution-report";
import type { Operation } from "./operation";

/** The shape of a report does not depend on when it is read. */
const ANY_TIME = new Date("9999-01-01T00:00:00Z");
const SIGNAL_EXAMPLE = {
  symbol: "EURUSD",
  timeframe: "H1",
  signal: "BUY",
  confidence: 0.52,
  prob_buy: 0.52,
  prob_sell: 0.2,
  prob_no: 0.28,
  regime: "TREND_UP",
  expected_rr: 1.5,
  ts: "2026-11-20T10:00:00Z",
  model_v: "gbt-7",
};
const PAYMENT_EXAMPLE = {
  event: "payment.invoice_paid",
  data: {
    id: "inv_1001",
    status: "paid",
    items: [{ productId: "3031367", name: "Pro monthly", quantity: 1, amount: 49.9 }],
    buyer: { name: "Ada", email: "ada@example.com" },
    paid_at: "2026-11-20T10:00:00Z",
  },
};

const payment = (path: string, id: string, summary: string): Operation => ({
  path,
  method: "post",
  id,
  tag: "Payments",
  summary,
  description:
    "`x-signature` is the lowercase hexadecimal HMAC-SHA256 of the raw body under the shared secret. Nothing is read before it holds.",
  access: "signature",
  body: { schema: PaymentEvent, example: PAYMENT_EXAMPLE },
  ok: { status: 200, schema: PaymentAnswer, description: "What the delivery led to" },
  errors: ["invalid_payload"],
});

const ingest = (kind: string, schema: z.ZodType, example: unknown): Operation => ({
  path: `/admin/ingest/${kind}`,
  method: "post",
  id: `ingest${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  tag: "Ingest",
  summary: `Take in ${kind}, all or none`,
  description: "Up to 5000 items. The same again changes nothing and counts as a duplicate.",
  access: "admin",
  body: { schema, example: { items: [example] } },
  ok: { status: 200, schema: Ingested, description: "How many were new" },
});

/** Every operation of the interface. A test holds this table against the mounted handlers. */
export const OPERATIONS: readonly Operation[] = [
  {
    path: "/api/health",
    method: "get",
    id: "getHealth",
    tag: "Service",
    summary: "Whether signals flow",
    description:
      "For uptime monitors. The newest signals and candles are held against the trading calendar, so that a closed market is no fault. `reasons` names what is wrong, worst first, and is null when all is well.",
    access: "anyone",
    ok: { status: 200, schema: Health, description: "All is well" },
    degraded: { schema: Health, description: "Degraded or down" },
  },
  {
    path: "/api/health/live",
    method: "get",
    id: "getLive",
    tag: "Service",
    summary: "Whether the process answers",
    description:
      "For supervisors: a process that does not answer should be started again. Nothing else is asked, and no limit applies.",
    access: "anyone",
    ok: { status: 200, schema: Live, description: "The process answers" },
    unlimited: true,
    errors: ["bad_request"],
  },
  {
    path: "/api/health/ready",
    method: "get",
    id: "getReady",
    tag: "Service",
    summary: "Whether to send requests here",
    description:
      "For balancers: the schema is current, keys can be looked up, and the process was not told to stop. It answers within a second, also when the database hangs, and no limit applies. Whether signals flow is not asked: that is the matter of `/api/health`.",
    access: "anyone",
    ok: { status: 200, schema: Ready, description: "Requests will be answered" },
    degraded: { schema: NotReady, description: "Requests should go elsewhere" },
    unlimited: true,
    errors: ["bad_request"],
  },
  {
    path: "/api/public/stats",
    method: "get",
    id: "getPublicStats",
    tag: "Service",
    summary: "Figures for the landing page",
    description: "Counts of the last 24 hours, and the uptime of the last 30 days in percent.",
    access: "anyone",
    ok: { status: 200, schema: PublicStats, description: "Counts over the whole service" },
    conditional: true,
  },
  {
    path: "/openapi.json",
    method: "get",
    id: "getOpenapi",
    tag: "Service",
    summary: "This description",
    description: "Made of the same schemas that requests and answers are held against.",
    access: "anyone",
    ok: {
      status: 200,
      schema: z.looseObject({ openapi: z.string().meta({ example: "3.1.0" }) }),
      description: "An OpenAPI 3.1 document",
    },
    conditional: true,
  },
  {
    path: "/api/scan",
    method: "get",
    id: "scan",
    tag: "Signals",
    summary: "The newest signal of each slot in scope",
    description:
      "Sorted by symbol, then by length of timeframe. `min_confidence` filters after the newest signal of each slot was chosen. With `wait` and `If-None-Match` the answer comes when the list differs from the one held, at the latest after so many seconds with 304; a key that ends meanwhile gets its 401 at once. A wait counts once against the limit.",
    access: "key",
    query: ScanQuery,
    ok: { status: 200, schema: Scan, description: "One item per slot" },
    conditional: true,
    headers: ["Signal-Seq", "Next-Signal-At"],
    errors: ["too_many_open"],
  },
  {
    path: "/api/stream",
    method: "get",
    id: "streamSignals",
    tag: "Signals",
    summary: "Signals in scope as they are committed, as server-sent events",
    description:
      "`id` of an event is the number of its signal, in the order of commit. `Last-Event-ID`, or `after`, replays up to 1,000 signals in scope that were missed; where there are more, an event `gap` comes first and says among which numbers. Events are `signal` (the fields of Signal and `pred_id`), `model` (the champion of a slot changed), `status` (how the service is, at the beginning and at each change) and `end` (the key works no more, with the code of its 401). A comment comes every 15 seconds.",
    access: "key",
    query: StreamQuery,
    ok: {
      status: 200,
      schema: StreamEvents.signal,
      description: "Events until the client, the key or the service ends",
    },
    events: StreamEvents,
    headers: ["Signal-Seq"],
    errors: ["too_many_open"],
  },
  {
    path: "/api/signals/{symbol}/{tf}",
    method: "get",
    id: "getSlotHistory",
    tag: "Signals",
    summary: "Signals of one slot, newest first",
    description:
      "`limit` counts from the newest signal. A slot outside the plan of the key is refused with 403.",
    access: "key",
    params: {
      symbol: { description: "Symbol, any case", example: "EURUSD" },
      tf: { description: "Timeframe, any case", example: "H1" },
    },
    query: SlotHistoryQuery,
    ok: { status: 200, schema: SlotHistory, description: "An empty list for a slot without signals" },
    errors: ["slot_not_in_plan"],
  },
  {
    path: "/api/history/predictions",
    method: "get",
    id: "getPredictions",
    tag: "Signals",
    summary: "Signals summed up by slot, model and date, newest first",
    description:
      "Counts of each direction and mean probabilities of the signals whose candle closed in the last `days`, in the scope of the key.",
    errors: ["figures_too_slow"],
    access: "key",
    query: PredictionsQuery,
    ok: { status: 200, schema: Predictions, description: "One item per slot, model and UTC date" },
  },
  {
    path: "/api/executions",
    method: "post",
    id: "reportExecution",
    tag: "Executions",
    summary: "Report that a position was opened or closed",
    description:
      "Idempotent by `ticket`. Required on a first report: `ticket`, `symbol`, `timeframe`, `signal`; afterwards `ticket` is enough. For 72 hours after expiry the closing of a known ticket is still taken.",
    access: "key",
    body: {
      schema: executionReportSchema(ANY_TIME),
      example: {
        ticket: 1234567890123,
        symbol: "EURUSD",
        timeframe: "H1",
        signal: "BUY",
        confidence: 0.52,
        opened_at: "2026-11-20T10:00:05Z",
        entry_price: 1.0842,
      },
    },
    ok: { status: 201, schema: ExecutionRecorded, description: "Recorded, or known already" },
  },
  {
    path: "/api/account/me",
    method: "get",
    id: "getAccount",
    tag: "Account",
    summary: "The key's subscription and how its client is doing",
    description:
      "A limit that is null does not apply: access without `expires_at` has no end. The key is shown masked.",
    access: "key",
    ok: { status: 200, schema: AccountMe, description: "Account metadata" },
  },
  {
    path: "/api/account/signals",
    method: "get",
    id: "listAccountSignals",
    tag: "Account",
    summary: "Signals of the last days in scope, newest first",
    description:
      "Signals whose candle closed in the last `days`, at most `limit` of them. `NO_TRADE` is left out unless `include_no_trade` is true.",
    access: "key",
    query: AccountSignalsQuery,
    ok: { status: 200, schema: AccountSignals, description: "`count` is the number of items here" },
  },
  {
    path: "/api/account/executions",
    method: "get",
    id: "listAccountExecutions",
    tag: "Account",
    summary: "Executions opened in the last days, newest first, with totals",
    description: "The summary covers every execution of the window, whatever `limit` is.",
    access: "key",
    query: AccountExecutionsQuery,
    ok: { status: 200, schema: AccountExecutions, description: "Executions and their totals" },
  },
  {
    path: "/api/account/regenerate-key",
    method: "post",
    id: "regenerateKey",
    tag: "Account",
    summary: "Replace the key presented by a new one",
    description: "The previous key ends at once. No body is needed. The new key is also mailed.",
    access: "key",
    ok: { status: 200, schema: KeyRotated, description: "The new key, shown this once" },
    errors: ["owner_key_in_environment"],
  },
  {
    path: "/api/ea-status",
    method: "get",
    id: "getEaStatus",
    tag: "Account",
    summary: "Diagnostics of the subscriber's EA",
    description:
      "When the client last called, how many of the expected slots it is sent signals for, and how far these lag behind. `explain=true` adds findings, each with what to do about it.",
    access: "key",
    query: EaStatusQuery,
    ok: { status: 200, schema: EaStatus, description: "With `explain=true` also what to mend" },
  },
  {
    path: "/api/status",
    method: "get",
    id: "getStatus",
    tag: "Service",
    summary: "What each part of the service and each slot is doing",
    description:
      "The fields of Health, each component with the time since which it has been in its state, each slot with the age of its newest signal, and what is left of the key's quota.",
    access: "key",
    ok: { status: 200, schema: Status, description: "200 for any valid key, whatever the state" },
  },
  {
    path: "/api/performance",
    method: "get",
    id: "getPerformance",
    tag: "Quality",
    summary: "What following the signals came to, per slot and model",
    description: "Judged by the candles that followed, after costs, in multiples of the risk (R).",
    errors: ["figures_too_slow"],
    access: "key",
    query: PerformanceQuery,
    ok: { status: 200, schema: Performance, description: "Track records" },
  },
  {
    path: "/api/calibration",
    method: "get",
    id: "getCalibration",
    tag: "Quality",
    summary: "How well each model's probabilities fit what happened",
    description:
      "Expected calibration error and Brier score over the signals whose outcome is known, beside the Brier score of a forecast that says the same frequencies every time. A model with too few outcomes is `insufficient` and is not judged. With `expand=slots` a row with `model_v` `*` follows the models of each slot: all their forecasts in order of time, judged by what perfect forecasts would show by chance, with that band and the reason.",
    errors: ["figures_too_slow"],
    access: "key",
    query: CalibrationQuery,
    ok: { status: 200, schema: CalibrationReport, description: "Calibration per model" },
  },
  {
    path: "/api/models",
    method: "get",
    id: "listModels",
    tag: "Quality",
    summary: "The champion of each slot",
    description:
      "A slot has one champion, its active model. A new champion is shown from the very next request on.",
    access: "key",
    ok: { status: 200, schema: ModelList, description: "One model per slot" },
    conditional: true,
  },
  {
    path: "/admin/keys",
    method: "post",
    id: "createKey",
    tag: "Administration",
    summary: "Open a subscription with a key",
    description:
      "The answer holds the key in full, this once, and the settings of the EA. With an `email` the key is also mailed. Access without `expires_at` has no end.",
    access: "admin",
    body: {
      schema: CreateKeyBody,
      example: { user_name: "Ada", email: "ada@example.com", plan_tier: "pro" },
    },
    ok: { status: 201, schema: KeyCreated, description: "The key, shown this once" },
  },
  {
    path: "/admin/keys",
    method: "get",
    id: "listKeys",
    tag: "Administration",
    summary: "Every key, newest first, masked",
    description:
      "Active and inactive keys. `q` searches names, addresses, notes and masked keys. Without `limit` all are listed.",
    access: "admin",
    query: ListKeysQuery,
    ok: { status: 200, schema: KeyList, description: "Key records" },
  },
  {
    path: "/admin/keys/{key_id}",
    method: "delete",
    id: "revokeKey",
    tag: "Administration",
    summary: "Switch a key off for good",
    description: "The very next request with the key is refused. The same again changes nothing.",
    access: "admin",
    params: { key_id: { description: "Id of the key", example: 17, integer: true } },
    ok: { status: 200, schema: KeyRevoked, description: "Off, now or already" },
    errors: ["not_found", "validation_failed"],
  },
  {
    path: "/admin/monitoring-data",
    method: "get",
    id: "getMonitoringData",
    tag: "Administration",
    summary: "Clients, signals, features and models of the last 24 hours",
    description:
      "How clients are doing, which directions were signalled, how features drifted, and how each model is calibrated.",
    access: "admin",
    ok: { status: 200, schema: MonitoringData, description: "What the operations dashboard shows" },
  },
  ingest("candles", IngestCandlesBody, {
    symbol: "EURUSD",
    timeframe: "H1",
    ts: "2026-11-20T10:00:00Z",
    open: 1.084,
    high: 1.0855,
    low: 1.0832,
    close: 1.0842,
  }),
  ingest("models", IngestModelsBody, {
    symbol: "EURUSD",
    timeframe: "H1",
    model_v: "gbt-7",
    auc_wf: 0.55,
    pf_wf: 1.1,
    is_active: true,
    trained_at: "2026-11-01T00:00:00Z",
  }),
  { ...ingest("signals", IngestSignalsBody, SIGNAL_EXAMPLE), errors: ["signal_conflict"] },
  ingest("features", IngestFeaturesBody, {
    symbol: "EURUSD",
    timeframe: "H1",
    ts: "2026-11-20T10:00:00Z",
    model_v: "gbt-7",
    values: { rsi_14: 55.2, atr_14: null },
  }),
  payment("/webhooks/payment", "receivePayment", "The payment platform tells what became of an invoice"),
  payment("/webhooks/payments", "receivePaymentPlural", "The same under the plural"),
];
