import { readMonitoring } from "@/lib/admin/monitoring/read-monitoring";
import { respond } from "@/lib/api/answer";
import { requireAdministrator } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { MonitoringData } from "@/lib/wire/contracts/monitoring";

/** GET /admin/monitoring-data: the data of the operations dashboard. */
export const GET = route(async (request) => {
  await requireAdministrator(request);
  return respond(MonitoringData, await readMonitoring(new Date()));
});
