import { errorAnswer } from "@/lib/api/answer";
import { requestIdOf } from "@/lib/api/request-id";
import { requireMetricsToken } from "@/lib/api/require-metrics-reader";
import { openRequestGauges } from "@/lib/api/watch/change-hub";
import { readGauges } from "@/lib/health/read-gauges";
import { prometheusText } from "@/lib/runtime/prometheus";
import { AppError } from "@/lib/wire/errors";

/** GET /metrics: the figures of this port for Prometheus, for METRICS_TOKEN or the administrator. */
export async function GET(request: Request): Promise<Response> {
  try {
    await requireMetricsToken(request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const answer = errorAnswer(error, requestIdOf(request.headers));
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  }
  const readings = [...(await readGauges()), ...openRequestGauges()];
  const { text, contentType } = await prometheusText(readings);
  return new Response(text, { headers: { "Content-Type": contentType, "Cache-Control": "no-store" } });
}
