import * as adminIngestCandles from "@/app/admin/(interface)/ingest/candles/route";
import * as adminIngestFeatures from "@/app/admin/(interface)/ingest/features/route";
import * as adminIngestModels from "@/app/admin/(interface)/ingest/models/route";
import * as adminIngestSignals from "@/app/admin/(interface)/ingest/signals/route";
import * as adminKey from "@/app/admin/(interface)/keys/[key_id]/route";
import * as adminKeys from "@/app/admin/(interface)/keys/route";
import * as adminMonitoringData from "@/app/admin/(interface)/monitoring-data/route";
import * as accountExecutions from "@/app/api/account/executions/route";
import * as accountMe from "@/app/api/account/me/route";
import * as accountRegenerateKey from "@/app/api/account/regenerate-key/route";
import * as accountSignals from "@/app/api/account/signals/route";
import * as calibration from "@/app/api/calibration/route";
import * as eaStatus from "@/app/api/ea-status/route";
import * as executions from "@/app/api/executions/route";
import * as feedBars from "@/app/api/feed/bars/route";
import * as healthLive from "@/app/api/health/live/route";
import * as healthReady from "@/app/api/health/ready/route";
import * as health from "@/app/api/health/route";
import * as historyPredictions from "@/app/api/history/predictions/route";
import * as models from "@/app/api/models/route";
import * as performance from "@/app/api/performance/route";
import * as publicCalibration from "@/app/api/public/calibration/route";
import * as publicCandles from "@/app/api/public/candles/route";
import * as ledgerCheckpoint from "@/app/api/public/ledger/checkpoint/route";
import * as ledgerConsistency from "@/app/api/public/ledger/consistency/route";
import * as ledgerEntries from "@/app/api/public/ledger/entries/route";
import * as ledgerProof from "@/app/api/public/ledger/proof/route";
import * as publicModels from "@/app/api/public/models/route";
import * as publicRecord from "@/app/api/public/record/route";
import * as publicSignals from "@/app/api/public/signals/route";
import * as publicStats from "@/app/api/public/stats/route";
import * as scan from "@/app/api/scan/route";
import * as slotHistory from "@/app/api/signals/[symbol]/[tf]/route";
import * as status from "@/app/api/status/route";
import * as stream from "@/app/api/stream/route";
import * as mcp from "@/app/mcp/route";
import * as metrics from "@/app/metrics/route";
import * as openapi from "@/app/openapi.json/route";
import * as paymentWebhook from "@/app/webhooks/payment/route";
import * as platformWebhook from "@/app/webhooks/payments/[adapter]/route";
import * as paymentWebhookPlural from "@/app/webhooks/payments/route";
import * as telegramWebhook from "@/app/webhooks/telegram/route";

export { parseTheme } from "@/app/_components/theme";
export { guardOf } from "@/app/guarded-areas";
export { isFixed, isPlain, publicQuery } from "@/app/pages";

/**
 * The interface: each of its paths and the module that answers it. The production server calls these
 * functions itself; every other path goes to Next. A test holds this table against the tree and the OpenAPI document.
 */
export const MOUNTS = {
  "/api/health": health,
  "/api/health/live": healthLive,
  "/api/health/ready": healthReady,
  "/api/public/stats": publicStats,
  "/api/public/record": publicRecord,
  "/api/public/calibration": publicCalibration,
  "/api/public/models": publicModels,
  "/api/public/signals": publicSignals,
  "/api/public/candles": publicCandles,
  "/api/public/ledger/checkpoint": ledgerCheckpoint,
  "/api/public/ledger/entries": ledgerEntries,
  "/api/public/ledger/proof": ledgerProof,
  "/api/public/ledger/consistency": ledgerConsistency,
  "/api/scan": scan,
  "/api/stream": stream,
  "/api/signals/{symbol}/{tf}": slotHistory,
  "/api/history/predictions": historyPredictions,
  "/api/executions": executions,
  "/api/account/me": accountMe,
  "/api/account/signals": accountSignals,
  "/api/account/executions": accountExecutions,
  "/api/account/regenerate-key": accountRegenerateKey,
  "/api/ea-status": eaStatus,
  "/api/status": status,
  "/api/performance": performance,
  "/api/calibration": calibration,
  "/api/models": models,
  "/admin/keys": adminKeys,
  "/admin/keys/{key_id}": adminKey,
  "/admin/monitoring-data": adminMonitoringData,
  "/api/feed/bars": feedBars,
  "/admin/ingest/candles": adminIngestCandles,
  "/admin/ingest/models": adminIngestModels,
  "/admin/ingest/signals": adminIngestSignals,
  "/admin/ingest/features": adminIngestFeatures,
  "/openapi.json": openapi,
  "/webhooks/payment": paymentWebhook,
  "/webhooks/payments": paymentWebhookPlural,
  "/webhooks/payments/{adapter}": platformWebhook,
  "/webhooks/telegram": telegramWebhook,
  "/mcp": mcp,
  "/metrics": metrics,
} as const;

/** Paths that follow the protocol of another product, which describes it: the OpenAPI document leaves them out. */
export const FOREIGN = ["/webhooks/telegram", "/mcp", "/metrics"] as const;
