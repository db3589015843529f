import { declareIngest } from "@/app/admin/(interface)/ingest/declare-ingest";
import { IngestCandlesBody } from "@/lib/wire/contracts/ingest";

export const POST = declareIngest("candles", IngestCandlesBody, {
  symbol: "EURUSD",
  timeframe: "H1",
  ts: "2026-11-20T10:00:00Z",
  open: 1.084,
  high: 1.0855,
  low: 1.0832,
  close: 1.0842,
});
