import { localLimiter } from "@/lib/access/limits/rolling-window";
import { errorAnswer } from "@/lib/api/answer";
import { requestIdOf } from "@/lib/api/request-id";
import { requireAdmin } from "@/lib/api/require-admin";
import { prometheusText } from "@/lib/runtime/metrics";
import { AppError } from "@/lib/wire/errors";

/** GET /metrics: the counters of this process for Prometheus, behind the administrator secret (decision 97). */
export function GET(request: Request): Response {
  try {
    requireAdmin(request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const answer = errorAnswer(error, requestIdOf(request.headers));
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  }
  const memory = process.memoryUsage();
  const text = prometheusText({
    resident_memory_bytes: memory.rss,
    heap_used_bytes: memory.heapUsed,
    uptime_seconds: Math.round(process.uptime()),
    limiter_identifiers: localLimiter().size,
  });
  return new Response(text, {
    headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" },
  });
}
