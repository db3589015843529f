import { Card } from "@/app/_components/card";
import { FactList } from "@/app/_components/fact-list";
import { formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { localLimiter } from "@/lib/access/limits/rolling-window";
import { quotaStoreState } from "@/lib/access/limits/shared/take-quota";
import { codeFigures } from "@/lib/runtime/metrics";

/** Where requests are counted against their limits, and how that place does. */
export function LimiterCard() {
  const store = quotaStoreState();
  return (
    <Card
      title="Limiter"
      lead="Exact over any 60 seconds; falls back to this process when its store is away."
    >
      <FactList
        facts={[
          {
            name: "Store",
            value:
              store === null ? (
                "this process"
              ) : (
                <StatusPill
                  state={store.healthy ? "ok" : "down"}
                  label={
                    store.healthy
                      ? `Redis, ${store.latencyMs === null ? "not asked yet" : `${formatNumber(store.latencyMs, 1)} ms`}`
                      : "Away: this process counts"
                  }
                />
              ),
          },
          { name: "Identities remembered here", value: formatNumber(localLimiter().size) },
          {
            name: "Requests refused, 1 h",
            value: formatNumber(codeFigures().get("rate_limited") ?? 0),
          },
        ]}
      />
    </Card>
  );
}
