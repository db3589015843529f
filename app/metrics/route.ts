import { requireMetricsToken } from "@/lib/api/require-metrics-reader";
import { route } from "@/lib/api/route";
import { openRequestGauges } from "@/lib/api/watch/key-watch";
import { readGauges } from "@/lib/health/read-gauges";
import { prometheusText } from "@/lib/runtime/prometheus";
import { pageGauges } from "@/lib/server/pages/page-figures";

/** GET /metrics: the figures of this instance for Prometheus, for METRICS_TOKEN or the administrator. */
export const GET = route(async (request) => {
  await requireMetricsToken(request);
  const readings = (await Promise.all([readGauges(), openRequestGauges()])).flat();
  const { text, contentType } = await prometheusText(
    [...readings, ...pageGauges()],
    request.headers.get("accept"),
  );
  return { status: 200, headers: { "Content-Type": contentType, "Cache-Control": "no-store" }, body: text };
});
