import { declareIngest } from "@/app/admin/(interface)/ingest/declare-ingest";
import { IngestModelsBody } from "@/lib/wire/contracts/ingest";

export const POST = declareIngest("models", IngestModelsBody, {
  symbol: "EURUSD",
  timeframe: "H1",
  model_v: "gbt-7",
  auc_wf: 0.55,
  pf_wf: 1.1,
  is_active: true,
  trained_at: "2026-11-01T00:00:00Z",
});
