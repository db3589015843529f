import { StatusPill } from "@/app/_components/status-pill";
import type { WebhookEndpointState, WebhookPauseReason } from "@/lib/vocabulary";

const PAUSED: Record<WebhookPauseReason, string> = {
  by_owner: "Paused",
  failing: "Paused after ten failed attempts",
  gone: "Paused: it answered 410",
};

/** The state of an endpoint as colour, icon and word. */
export function EndpointStatePill({
  endpoint,
}: {
  endpoint: { state: WebhookEndpointState; pauseReason: WebhookPauseReason | null; failures: number };
}) {
  if (endpoint.state === "paused")
    return <StatusPill state="suspended" label={PAUSED[endpoint.pauseReason ?? "by_owner"]} />;
  if (endpoint.failures > 0)
    return <StatusPill state="degraded" label={`Failed ${endpoint.failures} of 10, then paused`} />;
  return <StatusPill state="active" />;
}
