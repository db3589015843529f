/** JSON types as named in the specification; a trailing question mark allows null. */
export type FieldType =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "timestamp"
  | "object"
  | "array"
  | "any";

export interface Resource {
  /** `path` is a GET request whose answer contains the object, and `at` returns the object from the answer. */
  name: string;
  path: string;
  at: (json: unknown) => unknown;
  admin?: boolean;
  /** In the documented order. `?`: may be null. */
  fields: Record<string, `${FieldType}${"" | "?"}`>;
}

// Answers are plain JSON here, checked by the assertions.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Json = any;

const signal = {
  symbol: "string",
  timeframe: "string",
  signal: "string",
  confidence: "number",
  prob_buy: "number",
  prob_sell: "number",
  prob_no: "number",
  regime: "string",
  expected_rr: "number",
  ts: "timestamp",
  model_v: "string",
} as const;

/** Every object of the specification with all its fields, copied from it by hand. */
export const RESOURCES: readonly Resource[] = [
  {
    name: "Scan",
    path: "/api/scan",
    at: (j) => j,
    fields: { items: "array", plan_tier: "string", filtered_by_plan: "boolean" },
  },
  { name: "Signal in a scan", path: "/api/scan", at: (j: Json) => j.items[0], fields: signal },
  {
    name: "Signal of an account",
    path: "/api/account/signals",
    at: (j: Json) => j.signals[0],
    fields: { ...signal, created_at: "timestamp" },
  },
  {
    name: "Account signals",
    path: "/api/account/signals",
    at: (j) => j,
    fields: { count: "integer", days: "integer", signals: "array" },
  },
  {
    name: "Signal history item",
    path: "/api/signals/EURUSD/H1",
    at: (j: Json) => j[0],
    fields: {
      ts: "timestamp",
      signal: "string",
      confidence: "number",
      regime: "string",
      expected_rr: "number",
    },
  },
  {
    name: "Account executions",
    path: "/api/account/executions",
    at: (j) => j,
    fields: { executions: "array", summary: "object" },
  },
  {
    name: "Execution",
    path: "/api/account/executions",
    at: (j: Json) => j.executions[0],
    fields: {
      exec_id: "integer",
      ticket: "integer",
      symbol: "string",
      timeframe: "string",
      signal: "string",
      confidence: "number?",
      opened_at: "timestamp",
      closed_at: "timestamp?",
      entry_price: "number?",
      exit_price: "number?",
      pnl: "number?",
      result: "string?",
    },
  },
  {
    name: "Execution summary",
    path: "/api/account/executions",
    at: (j: Json) => j.summary,
    fields: {
      days: "integer",
      n_total: "integer",
      n_closed: "integer",
      n_wins: "integer",
      n_losses: "integer",
      win_rate_pct: "number",
      profit_factor: "number?",
      total_pnl: "number",
      gross_profit: "number",
      gross_loss: "number",
    },
  },
  {
    name: "Account metadata",
    path: "/api/account/me",
    at: (j) => j,
    fields: {
      plan_tier: "string",
      user_name: "string",
      email: "string?",
      expires_at: "timestamp?",
      days_remaining: "integer?",
      symbols_allowed: "array?",
      tfs_allowed: "array?",
      rate_limit_per_min: "integer",
      last_seen_at: "timestamp?",
      ea_status: "object",
      api_key_hint: "string",
      is_owner_env: "boolean",
      created_at: "timestamp",
    },
  },
  {
    name: "EA status",
    path: "/api/account/me",
    at: (j: Json) => j.ea_status,
    fields: { status: "string", label: "string", online: "boolean", mins_since: "number?" },
  },
  {
    name: "API key record",
    path: "/admin/keys",
    admin: true,
    at: (j: Json) => j.keys[0],
    fields: {
      key_id: "integer",
      user_name: "string",
      email: "string?",
      plan_tier: "string",
      expires_at: "timestamp?",
      notes: "string?",
      active: "boolean",
      symbols_allowed: "array?",
      tfs_allowed: "array?",
      rate_limit_per_min: "integer",
      last_seen_at: "timestamp?",
      created_at: "timestamp",
      api_key_hint: "string",
    },
  },
  {
    name: "EA diagnostics",
    path: "/api/ea-status",
    at: (j) => j,
    fields: {
      online: "boolean",
      last_heartbeat: "timestamp?",
      mins_since: "number?",
      account: "object",
      slot_coverage: "object",
      recent_signals_24h: "integer",
      lag_minutes: "number?",
    },
  },
  {
    name: "EA diagnostics, account",
    path: "/api/ea-status",
    at: (j: Json) => j.account,
    fields: { name: "string", tier: "string" },
  },
  {
    name: "EA diagnostics, slot coverage",
    path: "/api/ea-status",
    at: (j: Json) => j.slot_coverage,
    fields: { expected: "integer", active: "integer", pct: "number" },
  },
  {
    name: "Health",
    path: "/api/health",
    at: (j) => j,
    fields: {
      status: "string",
      api_version: "string",
      db: "string",
      last_prediction: "timestamp?",
      last_candle: "timestamp?",
      pred_lag_minutes: "number?",
      btc_lag_minutes: "number?",
      stale_pred_count: "integer",
      total_active_slots: "integer",
      reasons: "array?",
    },
  },
  { name: "Models", path: "/api/models", at: (j) => j, fields: { count: "integer", models: "array" } },
  {
    name: "Model",
    path: "/api/models",
    at: (j: Json) => j.models[0],
    fields: {
      symbol: "string",
      tf_code: "string",
      model_v: "string",
      auc_wf: "number?",
      pf_wf: "number?",
      is_active: "boolean",
      trained_at: "timestamp",
    },
  },
  {
    name: "Public statistics",
    path: "/api/public/stats",
    at: (j) => j,
    fields: {
      active_models: "integer",
      total_signals_24h: "integer",
      directional_signals_24h: "integer",
      monitored_pairs: "integer",
      uptime_pct_30d: "number",
    },
  },
];
