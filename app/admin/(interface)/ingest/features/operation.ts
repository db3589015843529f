import { declareIngest } from "@/app/admin/(interface)/ingest/declare-ingest";
import { IngestFeaturesBody } from "@/lib/wire/contracts/ingest";

export const POST = declareIngest("features", IngestFeaturesBody, {
  symbol: "EURUSD",
  timeframe: "H1",
  ts: "2026-11-20T10:00:00Z",
  model_v: "gbt-7",
  values: { rsi_14: 55.2, atr_14: null },
});
