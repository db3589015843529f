import type { SubscriberKey } from "@/db/queries/subscribers";
import { planTitle } from "@/lib/access/plans";

/**
 * The plans that follow each other, as `Pro until 31 Dec 2026, then Basic`. Null if access has the same plans until its end.
 */
export function planOrder(
  stretches: SubscriberKey["stretches"],
  now: Date,
  formatDay: (at: Date) => string,
): string | null {
  const ahead = (stretches ?? []).filter(({ until }) => until === null || new Date(until) > now);
  if (ahead.length < 2) return null;
  return ahead
    .map(({ plans, until }, i) => {
      const names = plans.map(planTitle).join(" and ");
      return until === null || i === ahead.length - 1
        ? names
        : `${names} until ${formatDay(new Date(until))}`;
    })
    .join(", then ");
}
