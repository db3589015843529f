import { Card } from "@/app/_components/card";
import { FactList } from "@/app/_components/fact-list";
import { formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { localLimiterSize, quotaStoreState } from "@/lib/access/limits/shared/take-quota";

/** Where rate limits are counted, and the state of that store. */
export async function LimiterCard({ nRefused }: { nRefused: number }) {
  const store = await quotaStoreState();
  const here = "this process";
  return (
    <Card
      title="Limiter"
      lead={`Counts requests over any 60 seconds exactly. Falls back to ${here} if its store is unavailable.`}
    >
      <FactList
        facts={[
          {
            name: "Store",
            value:
              store === null ? (
                here
              ) : (
                <StatusPill
                  state={store.healthy ? "ok" : "down"}
                  label={
                    store.healthy
                      ? `Redis, ${store.latencyMs === null ? "not measured yet" : `${formatNumber(store.latencyMs, 1)} ms`}`
                      : `Unavailable: ${here} counts`
                  }
                />
              ),
          },
          { name: "Callers counted here", value: formatNumber(await localLimiterSize()) },
          {
            name: "Requests refused, 1 h",
            value: formatNumber(nRefused),
          },
        ]}
      />
    </Card>
  );
}
