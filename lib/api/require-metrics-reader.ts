import { env } from "@/lib/runtime/env";
import { sameSecret } from "@/lib/runtime/secrets";
import { requireAdministrator } from "./require-admin";

/**
 * Lets through a request with METRICS_TOKEN as its bearer, which Prometheus can send, else one with the administrator
 * secret. Throws what requireAdministrator throws.
 */
export async function requireMetricsToken(request: Request): Promise<void> {
  const { metricsToken, beside } = env();
  const sent = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const tokens = metricsToken === null ? [] : [metricsToken, ...beside.METRICS_TOKEN];
  if (sent !== undefined && tokens.some((token) => sameSecret(sent, token))) return;
  await requireAdministrator(request);
}
