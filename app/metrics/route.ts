import { requireMetricsReader } from "@/lib/api/require-metrics-reader";
import { route } from "@/lib/api/route";
import { openRequestGauges } from "@/lib/api/watch/change-hub";
import { readGauges } from "@/lib/health/read-gauges";
import { prometheusText } from "@/lib/runtime/prometheus";
import { pageProcessGauges } from "@/lib/server/pages/page-figures";

/** GET /metrics: the metrics of this replica for Prometheus; requires METRICS_TOKEN or the administrator secret. */
export const GET = route(async (request) => {
  await requireMetricsReader(request);
  const readings = [...(await readGauges()), ...openRequestGauges(), ...pageProcessGauges()];
  const { text, contentType } = await prometheusText(readings);
  return { status: 200, headers: { "Content-Type": contentType, "Cache-Control": "no-store" }, body: text };
});
