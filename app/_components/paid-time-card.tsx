import { Badge } from "@/app/_components/badge";
import { Card } from "@/app/_components/card";
import { FactList } from "@/app/_components/fact-list";
import { formatMoney } from "@/app/_components/money";
import { formatSpan } from "@/app/_components/times";
import type { PaidTimeEntry } from "@/db/queries/paid-time";
import { concurrentPlansPeriods, mergeCarriedOnTime } from "@/lib/access/paid-time";
import { plans, planTitle } from "@/lib/access/plans";
import { DAY_MS, MINUTE_MS } from "@/lib/time";
import type { PaidTimeKind } from "@/lib/vocabulary";

const KIND_LABELS: Record<PaidTimeKind, string> = {
  payment: "Payment",
  trial: "Trial",
  change: "Plan changed",
  gift: "Given by the operator",
  extension: "Extended by the operator",
  credit: "Credit for downtime",
  grace: "Grace after a failed payment",
  carried: "Earlier access, carried over",
};

/** The plans in force with their end dates, and the payments, credits and extensions that the time consists of. */
export function PaidTimeCard({
  entries,
  keyId,
  isRevoked = false,
  now,
  formatDay,
}: {
  entries: readonly PaidTimeEntry[];
  keyId: number;
  isRevoked?: boolean;
  now: Date;
  formatDay: (at: Date) => string;
}) {
  const own = entries.filter((entry) => entry.keyId === keyId);
  if (own.length === 0) return null;
  const given = mergeCarriedOnTime(entries).filter((entry) => entry.keyId === keyId);
  const stretches = concurrentPlansPeriods(own, plans());
  const ahead = stretches.filter(({ until }) => until === null || until > now);
  return (
    <Card
      title="Access"
      lead={
        isRevoked
          ? "The key is revoked: the time that was left gives no access."
          : "Plans in order, and the time that was paid for or given."
      }
    >
      <div className="space-y-6">
        <FactList
          label={isRevoked ? "Time left, not in force" : "Plans in force"}
          facts={ahead.map(({ plans: names, from, until, isGrace }) => ({
            name: `${isRevoked ? "Not in force: " : ""}${names.map(planTitle).join(" and ")}${isGrace ? ", days of grace" : ""}`,
            value: until
              ? `${formatDay(from)} to ${formatDay(until)}`
              : `from ${formatDay(from)}, no end date`,
          }))}
        />
        <div>
          <h3 className="mb-1 text-sm font-medium">Time paid or given</h3>
          <FactList
            label="Time paid or given"
            facts={given.map(
              ({ id, kind, planTier, startsAt, durationMs, endedAt, invoiceId, amount, currency }) => ({
                id,
                name: [
                  KIND_LABELS[kind],
                  formatDay(startsAt),
                  amount !== null && formatMoney(amount, currency),
                  invoiceId,
                ]
                  .filter(Boolean)
                  .join(", "),
                value: (
                  <>
                    <Badge>{planTitle(planTier)}</Badge>{" "}
                    {durationMs === null ? "no end date" : duration(durationMs)}
                    {endedAt && `, ended ${formatDay(endedAt)}`}
                  </>
                ),
              }),
            )}
          />
        </div>
        {given.some(({ kind }) => kind === "carried") && (
          <p className="text-sm text-muted">
            “Earlier access, carried over” sums up the days of all earlier payments. The invoices list each of
            those payments.
          </p>
        )}
      </div>
    </Card>
  );
}

/** "31 days", "2.5 days", "1 h 58 min". */
function duration(ms: number): string {
  if (ms < DAY_MS) return formatSpan(ms / MINUTE_MS);
  const n = Math.round((ms / DAY_MS) * 10) / 10;
  return `${n} day${n === 1 ? "" : "s"}`;
}
