import { db } from "@/db/client";
import { countSignalsByDirection, type DirectionCounts } from "@/db/queries/signal-history";
import type { Scope } from "@/lib/access/plans";
import { processWide } from "@/lib/runtime/process-wide";
import { StaleCache } from "@/lib/runtime/stale-cache";
import { addDays } from "@/lib/time";

const SHARED_FOR_MS = 1_000;
const MOST_SCOPES = 200;

const counts = processWide(
  "directions-of-day",
  () =>
    new StaleCache<Scope, DirectionCounts>({ max: MOST_SCOPES, ttlMs: SHARED_FOR_MS, staleMs: 0 }, (scope) =>
      countSignalsByDirection(db("heavy"), {
        symbolsInScope: scope.symbols,
        timeframesInScope: scope.timeframes,
        since: addDays(new Date(), -1),
      }),
    ),
);

/** How many signals of each direction a scope had in the last 24 hours; callers within one second share the count. */
export function countDirectionsOfDay(scope: Scope): Promise<DirectionCounts> {
  return counts.get(scope.id, scope);
}
