import * as adminIngestCandles from "@/app/admin/ingest/candles/route";
import * as adminIngestModels from "@/app/admin/ingest/models/route";
import * as adminIngestSignals from "@/app/admin/ingest/signals/route";
import * as adminKey from "@/app/admin/keys/[key_id]/route";
import * as adminKeys from "@/app/admin/keys/route";
import * as accountMe from "@/app/api/account/me/route";
import * as executions from "@/app/api/executions/route";
import * as health from "@/app/api/health/route";
import * as scan from "@/app/api/scan/route";
import * as slotHistory from "@/app/api/signals/[symbol]/[tf]/route";

/**
 * The interface: every path of it and the module that answers. The production server calls these functions
 * itself; every other path goes to Next. A test holds this table against the tree and the OpenAPI document.
 */
export const MOUNTS = {
  "/api/health": health,
  "/api/scan": scan,
  "/api/signals/{symbol}/{tf}": slotHistory,
  "/api/executions": executions,
  "/api/account/me": accountMe,
  "/admin/keys": adminKeys,
  "/admin/keys/{key_id}": adminKey,
  "/admin/ingest/candles": adminIngestCandles,
  "/admin/ingest/models": adminIngestModels,
  "/admin/ingest/signals": adminIngestSignals,
} as const;
