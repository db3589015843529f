import { requireMetricsToken } from "@/lib/api/require-metrics-reader";
import { route } from "@/lib/api/route";
import { openRequestGauges } from "@/lib/api/watch/change-hub";
import { readGauges } from "@/lib/health/read-gauges";
import { prometheusText } from "@/lib/runtime/prometheus";
import { pageGauges } from "@/lib/server/pages/page-figures";

/** GET /metrics: the figures of this instance for Prometheus, for METRICS_TOKEN or the administrator. */
export const GET = route(async (request) => {
  await requireMetricsToken(request);
  const readings = [...(await readGauges()), ...openRequestGauges(), ...pageGauges()];
  const { text, contentType } = await prometheusText(readings);
  return { status: 200, headers: { "Content-Type": contentType, "Cache-Control": "no-store" }, body: text };
});
