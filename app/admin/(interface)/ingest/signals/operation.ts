import { declareIngest } from "@/app/admin/(interface)/ingest/declare-ingest";
import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { IngestSignalsBody } from "@/lib/wire/contracts/ingest";

const EXAMPLE = {
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

export const POST: OperationDeclaration = {
  ...declareIngest("signals", IngestSignalsBody, EXAMPLE),
  errors: ["signal_conflict"],
};
