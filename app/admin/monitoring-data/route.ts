import { respond } from "@/lib/api/answer";
import { MonitoringData } from "@/lib/api/contracts/monitoring";
import { requireAdmin } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { readMonitoring } from "@/lib/monitoring/read-monitoring";

/** GET /admin/monitoring-data: what the operations dashboard shows. */
export const GET = route(async (request) => {
  requireAdmin(request);
  return respond(MonitoringData, await readMonitoring(new Date()));
});
