import { env } from "@/lib/runtime/env";
import { isSameSecret } from "@/lib/runtime/secrets";
import { requireAdministrator } from "./require-admin";

/**
 * Requires METRICS_TOKEN as a bearer token, which Prometheus can send, or else the administrator secret. Throws like
 * `requireAdministrator`.
 */
export async function requireMetricsReader(request: Request): Promise<void> {
  const { metricsToken, alternates } = env();
  const sent = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const tokens = metricsToken === null ? [] : [metricsToken, ...alternates.METRICS_TOKEN];
  if (sent !== undefined && tokens.some((token) => isSameSecret(sent, token))) return;
  await requireAdministrator(request);
}
