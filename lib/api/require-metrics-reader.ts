import { env } from "@/lib/runtime/env";
import { sameSecret } from "@/lib/runtime/secrets";
import { requireAdmin } from "./require-admin";

/**
 * Lets through a request with METRICS_TOKEN as its bearer, which Prometheus can send, else one with the administrator
 * secret. Throws what requireAdmin throws.
 */
export function requireMetricsReader(request: Request): void {
  const { metricsToken } = env();
  const sent = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (metricsToken !== null && sent !== undefined && sameSecret(sent, metricsToken)) return;
  requireAdmin(request);
}
